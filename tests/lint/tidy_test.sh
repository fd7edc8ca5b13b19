#!/usr/bin/env bash
# usage: tidy_test.sh ROOT: clang-tidy finds nothing in the sources that need no LibTorch, whose headers take it minutes.
set -euo pipefail
cd "$1"
if ! command -v clang-tidy >/dev/null; then
  echo "skipped: clang-tidy is not installed"
  exit 77
fi
# What was found clean before, with the same contents of all that it includes, is not looked at again.
clean=${XDG_CACHE_HOME:-$HOME/.cache}/gpubench/tidy
mkdir -p "$clean"
check() {
  local key
  key=$({
    clang-tidy --version
    cat .clang-tidy
    c++ -std=c++20 -Iinclude -Isrc -MM "$1" | sed 's/^[^:]*://; s/\\$//' | xargs cat
  } | sha256sum | cut -d ' ' -f 1)
  [[ -e $clean/$key ]] && return
  clang-tidy --quiet "$1" -- -std=c++20 -Iinclude -Isrc && touch "$clean/$key"
}
export -f check
export clean

torch='(training/.*|engine|ops/.*|peak/peak_(bandwidth|latency|products))'
# shellcheck disable=SC2016  # It is the inner shell that expands.
find src/core src/record src/report src/data src/device/host src/power src/engine src/compare src/pages -name '*.cpp' |
  grep -Ev "^src/device/host/apple|^src/engine/$torch\.cpp$" |
  xargs -P 2 -I {} bash -c 'set -euo pipefail; check "$1"' check {}
