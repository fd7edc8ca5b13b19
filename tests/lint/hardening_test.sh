#!/usr/bin/env bash
# usage: hardening_test.sh FILE...: programs and libraries for Linux were linked and compiled as CMakeLists.txt asks for.
set -euo pipefail

if [[ $(uname -s) != Linux ]] || ! command -v readelf >/dev/null; then
  echo "skipped: this is not Linux, or readelf is not installed"
  exit 77
fi

status=0
# expect FILE WHAT TEXT PATTERN
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
  expect "$file" "can be loaded at one address alone" "$header" 'Type: +DYN'
  expect "$file" "its relocations stay writable" "$segments" GNU_RELRO
  expect "$file" "it binds symbols as they are called" "$dynamic" '(BIND_NOW|NOW)'
  # Libraries would be looked for in whatever folder is the current one.
  if grep -Eq '(RUNPATH|RPATH).*(\[|:)(:|\])' <<<"$dynamic"; then
    echo "$file: its search path has an empty entry"
    status=1
  fi
  expect "$file" "its stack can be executed" "$segments" 'GNU_STACK.* RW '
  expect "$file" "its stack has no protector" "$symbols" __stack_chk_fail
  expect "$file" "its calls of the C library are not checked" "$symbols" '__[a-z]+_chk'
done
exit "$status"
