#!/usr/bin/env bash
# usage: tidy_test.sh ROOT [analyzer|FOLDER...]: clang-tidy finds nothing in the sources that need no LibTorch, whose headers
# take it minutes. With "analyzer" Clang's static analyzer looks at them, which takes four times as long: CI does that, the
# tests do not. The folders have the headers of libraries.
set -euo pipefail
cd "$1"
shift
options=
flags='-std=c++20 -Iinclude -Isrc'
for given in "$@"; do
  case $given in
    # Left out: loops that count in doubles, which are whole numbers far below 2^53 where there are such.
    analyzer) options='--checks=-*,clang-analyzer-*,-clang-analyzer-security.FloatLoopCounter --warnings-as-errors=*' ;;
    *) flags+=" -isystem $given" ;;
  esac
done
if ! command -v clang-tidy >/dev/null; then
  echo "skipped: clang-tidy is not installed"
  exit 77
fi
# What was found clean before, with the same contents of all that it includes, is not looked at again.
clean=${XDG_CACHE_HOME:-$HOME/.cache}/gpubench/tidy
mkdir -p "$clean"
# shellcheck disable=SC2086  # Several words.
check() {
  local key
  key=$({
    clang-tidy --version
    cat .clang-tidy
    echo "$options"
    c++ $flags -MM "$1" | sed 's/^[^:]*://; s/\\$//' | xargs cat
  } | sha256sum | cut -d ' ' -f 1)
  [[ -e $clean/$key ]] && return
  clang-tidy --quiet $options "$1" -- $flags && touch "$clean/$key"
}
export -f check
export clean options flags

# Folders whose CMakeLists.txt asks for LibTorch are left out, and what is Apple's.
without_torch() {
  local folder
  for folder in $(find src -name CMakeLists.txt ! -path 'src/app/*' -exec dirname {} + | sort); do
    grep -Eqw 'TORCH|MODULE' "$folder/CMakeLists.txt" || find "$folder" -maxdepth 1 -name '*.cpp' ! -name 'apple*'
  done
}
# shellcheck disable=SC2016  # It is the inner shell that expands.
without_torch | xargs -P 2 -I {} bash -c 'set -euo pipefail; check "$1"' check {}
