#!/usr/bin/env bash
# usage: apple_test.sh ROOT BUILD [WARNING|FOLDER...]
# Compiles the sources with code for macOS, using Clang, libc++ and tests/lint/apple.h. BUILD
# contains generated headers, the FOLDERs contain the headers of libraries.
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
    /usr/include) ;; # libc++ must find its own headers before these.
    *) flags+=(-isystem "$given") ;;
  esac
done
# Include the system headers as on Linux, and then switch to macOS with apple.h.
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
