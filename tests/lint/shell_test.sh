#!/usr/bin/env bash
# usage: shell_test.sh ROOT
# Runs shellcheck on all scripts.
set -euo pipefail
cd "$1"
if ! command -v shellcheck >/dev/null; then
  echo "skipped: shellcheck is not installed"
  exit 77
fi
shellcheck -x .ci/run scripts/*.sh scripts/lib/*.sh scripts/packaging/*.sh scripts/completions/gpubench.bash bench/*.sh bench/lib/*.sh bench/plans/*.sh \
  tests/browser/*.sh tests/cli/*.sh tests/lint/*.sh tests/support/*.sh
