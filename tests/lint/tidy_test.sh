#!/usr/bin/env bash
# usage: tidy_test.sh ROOT: clang-tidy finds nothing in the sources that need no LibTorch, whose headers take it minutes.
set -euo pipefail
cd "$1"
if ! command -v clang-tidy >/dev/null; then
  echo "skipped: clang-tidy is not installed"
  exit 77
fi
torch='(training/.*|engine|peak/peak_(bandwidth|latency|products))'
find src/core src/record src/report src/data src/device/host src/engine src/compare -name '*.cpp' |
  grep -Ev "^src/device/host/apple|^src/engine/$torch\.cpp$" |
  xargs -P 2 -I {} clang-tidy --quiet {} -- -std=c++20 -Iinclude -Isrc
