# shellcheck shell=bash
# Shared by the tests of scripts. A test defines functions test_... and calls `run_tests`.
# shellcheck disable=SC2034  # Tests use root.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-test.XXXXXX")
trap 'rm -rf "$folder"' EXIT
failures=0
# Keeps the runs out of the user's store.
export XDG_STATE_HOME=$folder/state
unset GPUBENCH_STORE

# check SENTENCE COMMAND...: fails the test with the sentence unless the command succeeds.
check() {
  local sentence=$1
  shift
  if "$@"; then return; fi
  echo "check failed: $sentence"
  sed 's/^/  stderr: /' "$folder/stderr"
  failures=$((failures + 1))
}

is() { [[ $1 == "$2" ]]; }
says() { grep -qF -- "$2" "$folder/$1"; }
lacks() { ! says "$@"; }
count_lines() { wc -l <"$folder/$1" | tr -d ' '; }

run_tests() {
  local test
  for test in $(compgen -A function test_); do "$test"; done
  [[ $failures == 0 ]] || { echo "$failures checks failed"; exit 1; }
  echo "all checks passed"
}
