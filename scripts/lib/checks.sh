# shellcheck shell=bash
# shellcheck disable=SC2154 # root, results and build_folder come from the script that sources this
# Runs a plan of gpu-check.sh, each run in its own folder below $results, and compares the results
# with the bounds of the plan.

json_reader=$root/scripts/lib/json.awk
export json_reader

usage() {
  say "$*; see scripts/gpu-check.sh --help"
  exit 2
}

# The functions value, cell, in_seconds and skip are also for the commands of plans.

# value RUN WHERE: prints the values of a run, one per line. WHERE is a place in its result file
# ("/results/0/status"), "out:WORD" for the text after the word on stdout, or "exit".
value() {
  local place=$results/$1
  case $2 in
    exit) cat "$place/exit" ;;
    out:*) awk -v word="${2#out:}" '$1 == word { sub(/^[^ ]+ +/, ""); print }' "$place/stdout" ;;
    /*) if [[ -r $place/out.json ]]; then awk -v pointer="$2" -f "$json_reader" "$place/out.json"; fi ;;
  esac
}

# cell HEADING: prints "HEADING VALUE" for each row of the text table on stdin; blanks in the
# heading become "-".
cell() {
  awk -F'  +' -v heading="$1" '
    !column { for (i = 1; i <= NF; ++i) if ($i == heading) column = i; gsub(/ /, "-", heading); next }
    NF < column { exit }
    { print heading, $column }'
}

# in_seconds: converts "time 1 min 05 s" to "time 65".
in_seconds() {
  awk '{
    total = 0
    for (i = 2; i < NF; i += 2) total += $i * ($(i + 1) == "h" ? 3600 : $(i + 1) == "min" ? 60 : 1)
    print $1, total
  }'
}

# skip REASON: ends the command of a plan that this machine cannot run.
skip() {
  echo "$*" >&2
  exit 77
}
export -f value cell in_seconds skip

# run_plan PLAN MINUTES
run_plan() {
  local kind name most command
  deadline=$(($(date +%s) + 60 * $2))
  trap 'stop_child; exit 130' INT TERM HUP
  while read -r kind name most command <&3; do
    if [[ $kind == run ]]; then run_once "$name" "$most" "$command"; fi
  done 3<"$1"
}

# run_once NAME MINUTES COMMAND: does nothing if the run is done or the time is over. An interrupted
# run keeps its folder, so that its command can resume.
run_once() {
  local place=$results/$1 limit=$((60 * $2)) left status=0
  left=$((deadline - $(date +%s)))
  if is_done "$1" "$3" || ((left <= 0)); then return; fi
  is_same "$1" "$3" || rm -rf "$place"
  mkdir -p "$place"
  rm -f "$place"/out.json*
  printf '%s\n' "$3" >"$place/command"
  say "$1: at most $2 min, $((left / 60)) min left"
  if ((left < limit)); then limit=$left; fi
  OUT=$place run_for "$limit" bash -c "$3" >"$place/stdout" 2>"$place/stderr" </dev/null || status=$?
  if ((status == 124 && limit == left)); then return; fi
  echo "$status" >"$place/exit"
}

is_same() { [[ -r $results/$1/command && $(<"$results/$1/command") == "$2" ]]; }
is_done() { is_same "$1" "$2" && [[ -e $results/$1/exit ]]; }

# run_for SECONDS COMMAND...: returns 124 after a timeout. Uses a process group, so that all
# children end with the command.
run_for() {
  local seconds=$1 status=0
  shift
  set -m
  "$@" &
  set +m
  child=$!
  if ! ends_within "$seconds"; then
    kill -TERM -- "-$child" 2>/dev/null || true
    ends_within 10 || true
    stop_child
    return 124
  fi
  wait "$child" || status=$?
  child=
  return "$status"
}

ends_within() {
  local end=$((SECONDS + $1))
  while kill -0 "$child" 2>/dev/null; do
    if ((SECONDS >= end)); then return 1; fi
    sleep 0.2
  done
}

# report PLAN: prints a line for each check and the number of checks with each outcome.
report() {
  local kind run gpu bounds what counts
  counts=$(mktemp "${TMPDIR:-/tmp}/gpubench-checks.XXXXXX")
  device_model=$(find_device_model)
  say "$DEVICE: $device_model"
  while read -r kind run gpu bounds what <&3; do
    case $kind in
      run) line "$run" exit =0 "$(check_run "$run" "$bounds${what:+ $what}")" ;;
      expect) line "$run" "$what" "$bounds" "$(check_value "$run" "$gpu" "$bounds" "$what")" ;;
      '' | '#'*) ;;
      *) usage "$1: '$kind': unknown keyword; give run or expect" ;;
    esac
  done 3<"$1" | tee "$counts"
  conclude "$counts"
}

# line RUN WHAT BOUNDS OUTCOME: prints a line of the report. OUTCOME is a word, a tab and a value.
# Values of a run that was not executed have no outcome and no line.
line() {
  if [[ -n $4 ]]; then printf '%-7s %-16s %-22s %-18s %s\n' "${4%%$'\t'*}" "$1" "${4#*$'\t'}" "$3" "$2"; fi
}

# check_run RUN COMMAND: prints the outcome of a run.
check_run() {
  local code
  is_done "$1" "$2" || { printf 'pending\t-\n' && return; }
  code=$(value "$1" exit)
  case $code in
    0) printf 'passed\t0\n' ;;
    77) printf 'skipped\t%s\n' "$(tail -n 1 "$results/$1/stderr")" ;;
    *) printf 'FAILED\t%s\n' "$code" ;;
  esac
}

# check_value RUN GPU BOUNDS "[RUN:]WHERE [OPERATOR [RUN:]WHERE]": prints the outcome of a value;
# nothing if a run is missing.
check_value() {
  local bounds=$3 one operator other
  read -r one operator other <<<"$4"
  one=$(with_run "$1" "$one")
  other=$(with_run "$1" "$other")
  if ! has_ended "$one" || ! has_ended "$other"; then return; fi
  if [[ $2 != any && " $device_model " != *" $2 "* ]]; then bounds=shown; fi
  {
    value "${one%%:*}" "${one#*:}"
    if [[ -n $operator ]]; then echo "$operator" && value "${other%%:*}" "${other#*:}"; fi
  } | awk -v bounds="$bounds" -v operator="$operator" -f "$root/scripts/lib/bounds.awk"
}

# with_run RUN WHERE: prints RUN:WHERE, or WHERE if it already names a run.
with_run() {
  case $2 in
    /* | out:* | exit | '') echo "$1:$2" ;;
    *) echo "$2" ;;
  esac
}

has_ended() { [[ -e $results/${1%%:*}/exit && $(<"$results/${1%%:*}/exit") != 77 ]]; }

find_device_model() {
  local name
  "$GPUBENCH" list devices --json >"$results/devices.json"
  for name in "$DEVICE" "$DEVICE:0"; do
    awk -v pointer="/devices/*/devices/name=$name/model" -f "$json_reader" "$results/devices.json"
  done | head -n 1
}

conclude() {
  awk '{ ++count[$1] } END {
    printf "%d passed, %d failed, %d shown, %d skipped, %d pending\n",
      count["passed"], count["FAILED"], count["shown"], count["skipped"], count["pending"]
  }' "$1"
  local status=0
  if grep -q '^FAILED' "$1"; then status=1; elif grep -q '^pending' "$1"; then status=3; fi
  rm -f "$1"
  return "$status"
}
