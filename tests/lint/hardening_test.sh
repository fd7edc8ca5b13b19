#!/usr/bin/env bash
# usage: hardening_test.sh FILE...
# Checks that Linux programs and libraries have the hardening of CMakeLists.txt.
set -euo pipefail

if [[ $(uname -s) != Linux ]] || ! command -v readelf >/dev/null; then
  echo "skipped: this is not Linux, or readelf is not installed"
  exit 77
fi

status=0
# expect FILE FAULT TEXT PATTERN: reports FAULT unless TEXT matches PATTERN.
expect() {
  if ! grep -Eq -- "$4" <<<"$3"; then
    echo "$1: $2"
    status=1
  fi
}

for file in "$@"; do
  header=$(readelf -hW "$file")
  segments=$(readelf -lW "$file")
  dynamic=$(readelf -dW "$file")
  symbols=$(readelf --dyn-syms -W "$file")
  expect "$file" "not position-independent" "$header" 'Type: +DYN'
  expect "$file" "relocations stay writable (no RELRO)" "$segments" GNU_RELRO
  expect "$file" "symbols are bound lazily (no BIND_NOW)" "$dynamic" '(BIND_NOW|NOW)'
  # An empty entry means that libraries are searched in the current folder.
  if grep -Eq '(RUNPATH|RPATH).*(\[|:)(:|\])' <<<"$dynamic"; then
    echo "$file: empty entry in its RUNPATH"
    status=1
  fi
  expect "$file" "executable stack" "$segments" 'GNU_STACK.* RW '
  expect "$file" "no stack protector" "$symbols" __stack_chk_fail
  expect "$file" "unchecked C library calls (no _FORTIFY_SOURCE)" "$symbols" '__[a-z]+_chk'
done
exit "$status"
