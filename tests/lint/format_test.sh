#!/usr/bin/env bash
# usage: format_test.sh ROOT
# Checks the format of all C++ files with clang-format 14.
set -euo pipefail
cd "$1"
if ! command -v clang-format >/dev/null; then
  echo "skipped: clang-format is not installed"
  exit 77
fi
if ! clang-format --version | grep -q 'version 14\.'; then
  echo "skipped: needs clang-format 14, since others format some lines differently; found $(clang-format --version)"
  exit 77
fi
find include src models tests \( -name '*.h' -o -name '*.cpp' \) -print0 | xargs -0 clang-format --dry-run -Werror
