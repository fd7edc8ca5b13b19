#!/usr/bin/env bash
# usage: tidy_test.sh ROOT [analyzer|FOLDER...]
# Runs clang-tidy on the sources without LibTorch, whose headers take it minutes. With "analyzer",
# runs Clang's static analyzer instead, which takes four times longer and runs in CI only. The
# FOLDERs contain the headers of libraries.
set -euo pipefail
cd "$1"
shift
options=
flags='-std=c++20 -Iinclude -Isrc'
for given in "$@"; do
  case $given in
    # FloatLoopCounter is off: the loops with double counters use integers far below 2^53.
    analyzer) options='--checks=-*,clang-analyzer-*,-clang-analyzer-security.FloatLoopCounter --warnings-as-errors=*' ;;
    *) flags+=" -isystem $given" ;;
  esac
done
if ! command -v clang-tidy >/dev/null; then
  echo "skipped: clang-tidy is not installed"
  exit 77
fi
# Skip sources that were clean before with the same contents of all included files.
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

# Lists the sources of folders whose CMakeLists.txt does not use LibTorch, without those for macOS.
without_torch() {
  local folder
  for folder in $(find src -name CMakeLists.txt ! -path 'src/app/*' -exec dirname {} + | sort); do
    grep -Eqw 'TORCH|MODULE' "$folder/CMakeLists.txt" || find "$folder" -maxdepth 1 -name '*.cpp' ! -name 'apple*'
  done
}
# shellcheck disable=SC2016  # It is the inner shell that expands.
without_torch | xargs -P 2 -I {} bash -c 'set -euo pipefail; check "$1"' check {}
