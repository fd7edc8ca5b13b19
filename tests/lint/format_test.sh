#!/usr/bin/env bash
# usage: format_test.sh ROOT: all C++ files are as .clang-format says, by the version that it was written for.
set -euo pipefail
cd "$1"
if ! command -v clang-format >/dev/null; then
  echo "skipped: clang-format is not installed"
  exit 77
fi
if ! clang-format --version | grep -q 'version 14\.'; then
  echo "skipped: $(clang-format --version); other versions than 14 lay out some lines differently"
  exit 77
fi
find include src models tests \( -name '*.h' -o -name '*.cpp' \) -print0 | xargs -0 clang-format --dry-run -Werror
