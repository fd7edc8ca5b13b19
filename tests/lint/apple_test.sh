#!/usr/bin/env bash
# usage: apple_test.sh ROOT BUILD [WARNING|FOLDER...]: sources with parts for macOS compile there, as far as Clang, libc++ and
# tests/lint/apple.h tell. BUILD has made headers, the folders have those of libraries.
set -euo pipefail
cd "$1"
build=$2
shift 2
compiler=clang++-19
if ! echo '#include <vector>' | "$compiler" -stdlib=libc++ -fsyntax-only -x c++ - 2>/dev/null; then
  echo "skipped: $compiler with libc++ is not installed"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-std=c++20 -stdlib=libc++ -Werror -Iinclude -Isrc "-I$build/generated" -DNDEBUG)
for given in "$@"; do
  case $given in
    -*) flags+=("$given") ;;
    /usr/include) ;; # libc++ has to find it behind itself.
    *) flags+=(-isystem "$given") ;;
  esac
done
# Headers of the system come first, since they are those of Linux; those of Apple are in apple.h.
{
  grep -rhoE --include='*.h' --include='*.cpp' '^#include <([a-z_]+|fmt/[a-z]+\.h)>' include src | sort -u
  printf '%s\n' "#include \"$PWD/tests/lint/apple.h\"" '#undef __linux__' '#define __APPLE__ 1'
} >"$work/first.h"
mapfile -t sources < <({ grep -rlE '__APPLE__|F_FULLFSYNC' --include='*.cpp' src; find src -name apple.cpp; } | sort -u)
grep -hoE '^#include <[A-Za-z0-9_/-]+\.h>' "${sources[@]}" | sed 's/.*<//; s/>//' | while read -r header; do
  [[ -e /usr/include/$header ]] || { mkdir -p "$work/$(dirname "$header")" && touch "$work/$header"; }
done
for source in "${sources[@]}"; do
  "$compiler" "${flags[@]}" -include "$work/first.h" -idirafter "$work" -fsyntax-only "$source"
done
