# shellcheck shell=bash
# What the tests of the plot scripts share. The test that sources this defines functions test_... and calls `run_tests`,
# which ends with 77, "skipped" to ctest, where jq or gnuplot is missing. Its argument is the program.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2034 # the tests use it
results=$root/tests/fixtures/results
export GPUBENCH=${1:?usage: $0 GPUBENCH}
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-plot-test.XXXXXX")
trap 'rm -rf "$folder"' EXIT
failures=0

# plot CHART ARGUMENT...: sets `status`; what the script writes is in $folder/stdout and $folder/stderr.
plot() {
  local chart=$1
  shift
  status=0
  (cd "$folder" && "$root/scripts/plot-$chart.sh" "$@" >stdout 2>stderr) || status=$?
}

# check SENTENCE COMMAND...: the sentence is true if the command succeeds.
check() {
  local sentence=$1
  shift
  if "$@"; then return; fi
  echo "not so: $sentence"
  sed 's/^/  stderr: /' "$folder/stderr"
  failures=$((failures + 1))
}

is() { [[ $1 == "$2" ]]; }
says() { grep -qF -- "$2" "$folder/$1"; }
lacks() { ! says "$@"; }
lines_of() { wc -l <"$folder/$1" | tr -d ' '; }

# refuses CODE TEXT CHART ARGUMENT...: one line with the text and that exit code, nothing on stdout, and no chart.
refuses() {
  local code=$1 text=$2 chart=$3
  shift 3
  rm -f "$folder/$chart.svg"
  plot "$chart" "$@"
  check "$chart $* exits with $code, not $status" is "$status" "$code"
  check "$chart $* says: $text" says stderr "$text"
  check "$chart $* says it in one line" is "$(lines_of stderr)" 1
  check "$chart $* keeps stdout empty" is "$(lines_of stdout)" 0
  check "$chart $* leaves no chart behind" test ! -e "$folder/$chart.svg"
}

# Definitions for jq: a case that takes so many times as long.
# shellcheck disable=SC2016,SC2034 # jq has the variable, the tests this one
slower='def slower($factor): .epoch_seconds |= ((. // []) | map(. * $factor));'

run_tests() {
  local tool test
  for tool in jq gnuplot; do
    command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
  done
  for test in $(compgen -A function test_); do "$test"; done
  [[ $failures == 0 ]] || { echo "$failures checks failed"; exit 1; }
  echo "all checks passed"
}
