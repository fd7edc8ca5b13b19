# shellcheck shell=bash
# A comparison from its arguments to its table. `compare` is the whole of it.

library=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/lib/common.sh
source "$library/../../scripts/lib/common.sh"
# shellcheck source=bench/lib/arguments.sh
source "$library/arguments.sh"
# shellcheck source=bench/lib/runs.sh
source "$library/runs.sh"

# A mistake of the caller: one line with the remedy.
refuse() {
  say "$*"
  exit 2
}

compare() {
  parse_arguments "$@"
  have jq || refuse "jq is not installed; run: apt-get install jq, or: brew install jq"
  work=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-bench.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  if [[ -n $resumed ]]; then read_journal; else make_comparison; fi
  check_figures
  if [[ -n $is_dry_run ]]; then
    query 'commands' -r "$work/comparison.json"
    return
  fi
  open_journal
  trap 'interrupted 130' INT
  trap 'interrupted 143' TERM HUP
  run_missing
  finish
}

# jq with the definitions of this folder.
query() {
  local program=$1
  shift
  jq -L "$library" "include \"plan\"; include \"summary\"; include \"table\"; $program" "$@"
}

# Puts what is to be compared into $work/comparison.json.
make_comparison() {
  if [[ -n $plan && ! (-f $plan && -r $plan) ]]; then refuse "--plan $plan: cannot be read; name a file as in bench/plans"; fi
  # shellcheck disable=SC2016
  query 'comparison($text; $file; options($ARGS)) | or_refuse' -n --rawfile text "${plan:-/dev/null}" --arg file "$plan" \
    --arg pairs "$pairs" --arg name "$name" --arg measure "$measure" --arg figure_a "$figure_a" --arg figure_b "$figure_b" \
    --argjson only "${#only[@]}" --argjson labels "${#labels[@]}" \
    --args -- ${only[@]+"${only[@]}"} ${labels[@]+"${labels[@]}"} ${words[@]+"${words[@]}"} \
    >"$work/comparison.json" || exit 2
}

# A jq expression that does not compile would fail in every run.
check_figures() {
  local expression
  while IFS= read -r -d '' expression; do
    jq -n --argjson wall 0 "def figure: ($expression
); empty" >/dev/null 2>&1 || refuse "figure '$expression' is no jq expression; e.g. --figure .images_per_s"
  done < <(query given_figures -j "$work/comparison.json")
}

# Sets `journal` and `output`, and begins the journal with what is to be compared.
open_journal() {
  if [[ -n $resumed ]]; then
    output=${output:-$(jq -r '.output // empty' "$work/comparison.json")}
    # A line that a crash cut short must not swallow the next one.
    [[ -z $(tail -c 1 "$journal") ]] || echo >>"$journal"
    cd "$(jq -r .directory "$work/comparison.json")" || refuse "--resume $resumed: its folder is gone"
    return
  fi
  choose_journal
  [[ ! -e $journal ]] || refuse "$journal: exists; go on with --resume $journal, or remove it"
  { : >"$journal"; } 2>/dev/null || refuse "$journal: cannot be written; name another file with --json"
  # shellcheck disable=SC2016
  jq -c --arg output "$output" --arg directory "$PWD" --arg host "$(uname -n)" --arg system "$(uname -sm)" \
    --argjson cores "$(core_count)" --arg started_at "$(now)" '
    {kind: "gpubench comparison", version: 1, $started_at, $host, $system, $cores, $directory,
     output: (if $output == "" then null else $output end), cases}' "$work/comparison.json" >"$journal"
}

choose_journal() {
  if [[ -n $output ]]; then
    journal=${output%.json}.journal.jsonl
  else
    journal=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-comparison.XXXXXX")/runs.journal.jsonl
  fi
}

now() { date -u +%Y-%m-%dT%H:%M:%SZ; }

# Puts the comparison of the journal into $work/comparison.json.
read_journal() {
  journal=$(absolute "$resumed")
  [[ -f $journal && -r $journal && -w $journal ]] || refuse "--resume $resumed: cannot be read and written"
  query 'first_line | or_refuse' -R -n "$journal" >"$work/comparison.json" || exit 2
}

# Prints the table, and writes the document where one was asked for.
finish() {
  local outcome
  query summary -R -n "$journal" >"$work/summary.json"
  query table -r "$work/summary.json"
  [[ -z $output ]] || write_document || refuse "$output: cannot be written; the runs are in $journal"
  outcome=$(jq -r .outcome "$work/summary.json")
  if [[ $outcome == complete ]]; then
    drop_journal
  else
    say "$outcome; go on with: bench/alternate.sh --resume $journal"
    [[ $outcome != failed ]] || exit 1
  fi
}

write_document() { cp "$work/summary.json" "$output.part" && mv -f "$output.part" "$output"; }

# The document has all that the journal has; without a document nobody asked for either.
drop_journal() {
  rm -f "$journal"
  case $journal in */gpubench-comparison.??????/runs.journal.jsonl) rmdir "${journal%/*}" 2>/dev/null || true ;; esac
}

# interrupted STATUS
interrupted() {
  trap '' INT TERM HUP
  stop_child
  finish || true
  exit "$1"
}
