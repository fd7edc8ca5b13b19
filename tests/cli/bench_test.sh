#!/usr/bin/env bash
# Tests of bench/alternate.sh with a stub whose figures are known.
# Exits with 77, "skipped" to ctest, where jq is missing.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command -v jq >/dev/null || { echo "skipped: jq is not installed"; exit 77; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-bench-test.XXXXXX")
trap 'rm -rf "$folder"' EXIT
failures=0
# A journal that nobody names stays in here too.
export TMPDIR=$folder LOG=$folder/log

# stub NAME FIGURE...: logs its name and gives another figure in each call; the last one again when they are used up.
cat >"$folder/stub" <<'STUB'
#!/usr/bin/env bash
name=$1
shift
echo "$name" >>"$LOG"
calls=$(grep -cx "$name" "$LOG")
((calls <= $#)) || calls=$#
figure=${!calls}
case $figure in
  fail) printf 'first line\n\033[31mno such device\n\n' >&2; exit 3 ;;
  garbage) echo 'images_per_s: 12 {"images_per_s": '; echo 'still warming up' >&2 ;;
  hang) sleep 60 & wait ;;
  ok | oom)
    printf '{"cases": [\n  {"status": "%s",\n "samples_per_second": 400}]\n}\n' "$figure" ;;
  *) printf 'epoch 1\n{"images_per_s": 1, "seconds": 1}\n7\n{"images_per_s": %s, "seconds": %s}\nbye {\n' "$figure" "$figure" ;;
esac
STUB
# Leaves its arguments, each ended by a zero byte.
cat >"$folder/arguments" <<'STUB'
#!/usr/bin/env bash
printf '%s\0' "$@" >arguments.seen
echo '{"images_per_s": 5}'
STUB
chmod +x "$folder/stub" "$folder/arguments"

# alternate ARGUMENT...: sets `status`; what the script writes is in $folder/stdout, blanks squeezed, and $folder/stderr.
alternate() {
  status=0
  (cd "$folder" && "$root/bench/alternate.sh" "$@" >table 2>stderr) || status=$?
  tr -s ' ' <"$folder/table" | sed 's/^ //' >"$folder/stdout"
}

# plan LINE...: a plan of these lines.
plan() { printf '%s\n' "$@" >"$folder/the.plan"; }

# check SENTENCE COMMAND...: the sentence is true if the command succeeds.
check() {
  local sentence=$1
  shift
  if "$@"; then return; fi
  echo "not so: $sentence"
  sed 's/^/  stdout: /' "$folder/stdout"
  sed 's/^/  stderr: /' "$folder/stderr"
  failures=$((failures + 1))
}

is() { [[ $1 == "$2" ]]; }
says() { grep -qF -- "$2" "$folder/$1"; }
has_line() { grep -qxF -- "$2" "$folder/$1"; }
calls() { tr '\n' ' ' <"$LOG"; }
document() { jq -c "$1" "$folder/out.json"; }

start_over() {
  rm -f "$LOG" "$folder"/out.* "$folder/arguments.seen"
}

refuses() {
  local text=$1
  shift
  alternate "$@"
  check "$* exits with 2, not $status" is "$status" 2
  check "$* says: $text" says stderr "$text"
  check "$* runs nothing" test ! -e "$LOG"
}

# By hand: medians 100, 50, 80; by round 100/50, 110/40, 90/60 and 100/80, 110/80, 90/80.
test_ratios_are_of_medians_and_by_round() {
  alternate --pairs 3 --name "cnn 8" --json out.json \
    -- ./stub a 100 110 90 -- ./stub b 50 40 60 -- ./stub c 80
  check "a comparison succeeds" is "$status" 0
  check "A has its median and range" has_line stdout "cnn 8 A 3/3 100.0 /s [90.00..110.0]"
  check "B1 has its ratios" has_line stdout "B1 3/3 50.00 /s [40.00..60.00] 2.000 2.000 [1.500..2.750]"
  check "the best of the others is marked" has_line stdout "B2 * 3/3 80.00 /s [80.00..80.00] 1.250 1.250 [1.125..1.375]"
  check "the mean is over the best" has_line stdout "over the best 1.250 (1 of 1 cases)"
  check "the document has raw figures" is "$(document '[.cases[0].commands[].figures]')" "[[100,110,90],[50,40,60],[80,80,80]]"
  check "the document has ratios" is "$(document '[.cases[0].commands[1:][].ratio.of_medians]')" "[2,1.25]"
  check "the document has each run" is "$(document '.runs | length')" 9
  check "the journal is gone when all is in the document" test ! -e "$folder/out.journal.jsonl"
}

test_the_order_rotates() {
  alternate --pairs 3 -- ./stub a 1 -- ./stub b 1 -- ./stub c 1
  check "three commands rotate, not $(calls)" is "$(calls)" "a b c b c a c a b "
  start_over
  alternate --pairs 3 -- ./stub a 1 -- ./stub b 1
  check "two commands take turns at the start, not $(calls)" is "$(calls)" "a b b a a b "
}

test_less_is_better_turns_the_ratio_around() {
  alternate --pairs 2 --measure seconds --figure .seconds -- ./stub a 2 4 -- ./stub b 12
  check "the ratio is B by A" has_line stdout "B * 2/2 12.00 s [12.00..12.00] 4.000 4.500 [3.000..6.000]"
  start_over
  # shellcheck disable=SC2016
  alternate --pairs 1 --measure wall --figure-a '$wall * 0 + 2' --figure-b '$wall * 0 + 5' -- ./stub a 1 -- ./stub b 1
  check "the seconds of the process are at hand" has_line stdout "B * 1/1 5.000 s [5.000..5.000] 2.500 2.500 [2.500..2.500]"
  start_over
  alternate --pairs 1 --measure wall -- ./stub a garbage -- ./stub b garbage
  check "wall needs no output of the commands" is "$status" 0
}

test_documents_of_gpubench_are_read() {
  alternate --pairs 1 -- ./stub a ok -- ./stub b 100
  check "samples_per_second is the figure" has_line stdout "case A 1/1 400.0 /s [400.0..400.0]"
  start_over
  alternate --pairs 1 -- ./stub a oom -- ./stub b 100
  check "a case that is not ok has no figure" has_line stdout "failed: A, round 1 of 1: no figure on stdout: nothing on stderr"
}

test_failed_runs_are_rows() {
  alternate --pairs 3 -- ./stub a 100 -- ./stub b 50 fail 50 -- ./stub c garbage
  check "a failed run makes the exit code 1" is "$status" 1
  check "the others still count" has_line stdout "B1 * 2/3 50.00 /s [50.00..50.00] 2.000 2.000 [2.000..2.000]"
  check "the row has the exit status and the last line of stderr" \
    has_line stdout "failed: B1, round 2 of 3: exit status 3: ?[31mno such device"
  check "a command without any figure is a row" has_line stdout "B2 0/3 -"
  check "garbage is named" has_line stdout "failed: B2, round 3 of 3: no figure on stdout: still warming up"
  check "the mean tells what it lacks" has_line stdout "over B2 - (0 of 1 cases)"
  check "stderr says how to go on" says stderr "failed; go on with: bench/alternate.sh --resume $folder/gpubench-comparison."
}

test_a_plan_is_a_table_of_cases() {
  plan "# a comment" "pairs 1" "a mine ./stub a {mine}" "b torch/eager ./stub {model} {eager}" "case one model=b mine=100 eager=80" \
    "b torch/graph ./stub g \\" "  {graph}" "b keras ./stub k 40" "case 'two cases' model=b mine=200 eager=25 graph=20"
  alternate --plan the.plan
  check "a plan succeeds" is "$status" 0
  check "a case has the commands above it" has_line stdout "one mine 1/1 100.0 /s [100.0..100.0]"
  check "placeholders have the case's values" has_line stdout "torch/eager * 1/1 80.00 /s [80.00..80.00] 1.250 1.250 [1.250..1.250]"
  check "names may have blanks" has_line stdout "two cases mine 1/1 200.0 /s [200.0..200.0]"
  # By hand: roots of 1.25 * 5, 1.25 * 8; keras is in the second case alone.
  check "the mean over the best" has_line stdout "over the best 2.500 (2 of 2 cases)"
  check "the mean over the best of a family" has_line stdout "over the best of torch 3.162 (2 of 2 cases)"
  check "the mean over one" has_line stdout "over keras 5.000 (1 of 1 cases)"
  start_over
  alternate --plan the.plan --only two --pairs 2 -n
  check "--only and --pairs choose" is "$(grep -c '^# two cases' "$folder/stdout")/$(grep -c '^#' "$folder/stdout")" 8/8
  check "a dry run runs nothing" test ! -e "$LOG"
  check "a dry run prints the commands" has_line stdout "./stub g 20"
}

test_a_comparison_goes_on_where_it_ended() {
  local pid
  (cd "$folder" && exec "$root/bench/alternate.sh" --pairs 2 --json out.json -- ./stub a 100 -- ./stub b hang 50 >table 2>stderr) &
  pid=$!
  until grep -qsx b "$LOG"; do sleep 0.1; done
  kill -TERM "$pid"
  status=0
  wait "$pid" || status=$?
  check "a comparison that is ended says so" is "$status" 143
  check "what was measured is printed" grep -q 'A  *1/2' "$folder/table"
  # As a crash would leave it.
  printf '{"case": 0, "rou' >>"$folder/out.journal.jsonl"
  rm -f "$folder/out.json"
  refuses_the_same_journal
  alternate --resume out.journal.jsonl
  check "resuming succeeds" is "$status" 0
  check "only what is missing runs, not $(calls)" is "$(calls)" "a b b b a "
  check "the document is where it was to be" is "$(document '[.outcome, (.runs | length)]')" '["complete",4]'
}

refuses_the_same_journal() {
  local before
  before=$(calls)
  alternate --json out.json -- ./stub a 1 -- ./stub b 1
  check "a journal is not overwritten" says stderr "exists; go on with --resume"
  check "nothing runs over it" is "$(calls)" "$before"
}

test_resuming_repeats_what_failed() {
  alternate --pairs 2 --json out.json -- ./stub a 100 -- ./stub b 50 fail 25
  check "the first attempt fails" is "$status" 1
  alternate --resume out.journal.jsonl
  check "the second one succeeds" is "$status" 0
  check "only the failed run is repeated, not $(calls)" is "$(calls)" "a b b a b "
  check "the figure of the repetition counts" is "$(document '.cases[0].commands[1].figures')" "[50,25]"
  check "the failed attempt stays among the runs" is "$(document '[.runs[].status]')" "[0,0,3,0,0]"
}

# shellcheck disable=SC2016  # None of this is to be expanded, here or there.
test_commands_are_never_evaluated() {
  local words=('two  words' "a'b\"c" '$(touch pwned)' '`touch pwned`' '; touch pwned' '*' '{x}' '$HOME' '' '-n' '\n')
  alternate --pairs 1 --name '$(touch pwned)' -- ./stub a 5 -- ./arguments "${words[@]}"
  check "a hostile command line runs" is "$status" 0
  printf '%s\0' "${words[@]}" >"$folder/arguments.expected"
  check "its words arrive as they are" cmp "$folder/arguments.expected" "$folder/arguments.seen"
  HOSTILE='a  b $(touch pwned) "{x}" $HOME' plan_with_hostile_words
  check "nothing was executed" test ! -e "$folder/pwned"
  start_over
  alternate --pairs 1 -- eval 'touch pwned' -- finish
  check "a command is a program, never a word of the shell" is "$(grep -c '^failed: .*exit status 127' "$folder/stdout")" 2
  check "nothing was evaluated" test ! -e "$folder/pwned"
}

# shellcheck disable=SC2016
plan_with_hostile_words() {
  export HOSTILE
  plan 'pairs 1' 'a A ./stub a 5' \
    'b B ./arguments $HOSTILE "in ${HOSTILE}" '"'"'$HOSTILE {x}'"'"' "\$HOSTILE \"q\"" \$x "" $(touch pwned) `touch pwned` a\ b {x}' \
    'case one x=$HOSTILE'
  alternate --plan the.plan
  check "a hostile plan runs" is "$status" 0
  printf '%s\0' "$HOSTILE" "in $HOSTILE" '$HOSTILE {x}' '$HOSTILE "q"' '$x' '' '$(touch' 'pwned)' '`touch' 'pwned`' \
    'a b' "$HOSTILE" >"$folder/arguments.expected"
  check "only variables and placeholders are replaced" cmp "$folder/arguments.expected" "$folder/arguments.seen"
}

# shellcheck disable=SC2016
test_bad_plans_are_refused() {
  local head='a A ./stub a 1'
  plan "$head" 'b B $NOT_SET_ANYWHERE 1' 'case one'
  refuses "the.plan:3: the command of line 2: NOT_SET_ANYWHERE is not set; export it" --plan the.plan
  plan "$head" 'b B ./stub {batch}' 'case one'
  refuses "the.plan:3: the command of line 2: {batch} has no value in this case" --plan the.plan
  plan "$head" "b B './stub" 'case one'
  refuses "the.plan:3: the command of line 2: a quote is not closed" --plan the.plan
  plan "$head" 'case one'
  refuses "the.plan:2: no command B yet" --plan the.plan
  plan 'repeat 3'
  refuses "the.plan:1: 'repeat' is not known" --plan the.plan
  plan "$head"
  refuses "the.plan: has no line 'case NAME'" --plan the.plan
}

test_bad_arguments_are_refused() {
  refuses "nothing to compare; use -- COMMAND_A -- COMMAND_B" --pairs 3
  refuses "a second command comes after a second --" -- ./stub a 1
  refuses "a command between two -- is empty" -- ./stub a 1 --
  refuses "--pairs many: is no whole number" --pairs many -- ./stub a 1 -- ./stub b 1
  refuses "pairs '0': use a number from 1" --pairs 0 -- ./stub a 1 -- ./stub b 1
  refuses "figure '.a b' is no jq expression" --figure '.a b' -- ./stub a 1 -- ./stub b 1
  refuses "measure seconds needs to be told the figure" --measure seconds -- ./stub a 1 -- ./stub b 1
  refuses "unknown option '--bad'" --bad
  refuses "--plan absent.plan: cannot be read" --plan absent.plan
  plan "not a journal"
  refuses "is no journal of a comparison" --resume the.plan
}

test_the_plans_of_the_project_can_be_read() {
  local file
  for file in "$root"/bench/plans/*.plan; do
    GPUBENCH=gpubench PYTHON=python3 PEERS=/peers DATA=/data alternate -n --pairs 1 --plan "$file"
    check "$(basename "$file") is a plan" is "$status" 0
  done
}

test_a_missing_jq_is_named() {
  local tool path=$folder/without-jq
  mkdir "$path"
  for tool in bash env dirname; do ln -s "$(command -v "$tool")" "$path/$tool"; done
  PATH=$path bash "$root/bench/alternate.sh" -- a -- b 2>"$folder/stderr" || status=$?
  check "a missing jq exits with 2" is "$status" 2
  check "a missing jq is named with the remedy" says stderr "jq is not installed; run: "
}

for test in $(compgen -A function test_); do
  start_over
  "$test"
done
[[ $failures == 0 ]] || { echo "$failures checks failed"; exit 1; }
echo "all checks passed"
