# shellcheck shell=bash
# What the tests of the plot scripts share. They end with 77, "skipped" to ctest, where jq or gnuplot is missing. The argument
# is the program.

# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"

for tool in jq gnuplot; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
# shellcheck disable=SC2034 # the tests use it
results=$root/tests/fixtures/results
export GPUBENCH=${1:?usage: $0 GPUBENCH}

# plot CHART ARGUMENT...: sets `status`; what the script writes is in $folder/stdout and $folder/stderr.
plot() {
  local chart=$1
  shift
  status=0
  (cd "$folder" && "$root/scripts/plot-$chart.sh" "$@" >stdout 2>stderr) || status=$?
}

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
