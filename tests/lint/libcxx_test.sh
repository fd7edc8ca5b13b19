#!/usr/bin/env bash
# usage: libcxx_test.sh ROOT BUILD [WARNING|FOLDER...]: every source compiles as on a Mac, with Clang and libc++ and without a
# warning; what differs there does against stubs of Apple's headers, tests/lint/apple. BUILD has sources that were made,
# the folders have the headers of libraries.
set -euo pipefail
cd "$1"
root=$1
# Relative, so that another clone finds what this one found clean.
build=${2#"$root"/}
shift 2
# shellcheck source=scripts/lib/common.sh
source scripts/lib/common.sh

compiler=clang++-19
if ! echo '#include <vector>' | "$compiler" -stdlib=libc++ -fsyntax-only -x c++ - 2>/dev/null; then
  echo "skipped: $compiler with libc++ is not installed"
  exit 77
fi
# What was found clean before, with the same contents of all that it includes, is not compiled again.
clean=${XDG_CACHE_HOME:-$HOME/.cache}/gpubench/libcxx
mkdir -p "$clean"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target gpubench_version >/dev/null

flags=(-std=c++20 -stdlib=libc++ -Werror -Iinclude -Isrc -Imodels -Itests -Itests/models "-I$build/generated" -DNDEBUG)
for path in SOURCE_DIR TEST_CACHE BINARY STAND_IN_WORKER FAKE_NVML FAKE_OLD_NVML FAKE_OPENBLAS; do
  flags+=("-DGPUBENCH_$path=\"\"")
done
for given in "$@"; do
  case $given in
    -*) flags+=("$given") ;;
    /usr/include) ;;  # Where libc++ has to find what it wraps behind itself.
    *) flags+=(-isystem "${given#"$root"/}") ;;
  esac
done

# prepare KIND HEADER [FLAG...]: what a kind of compilation is told, and the header that is compiled ahead for it.
prepare() {
  printf '%s\n' "${flags[@]}" "${@:3}" | sed 's/["\\]/\\&/g' >"$work/$1.flags"
  echo "$2" >"$work/$1.header"
}
prepare plain src/pch/std.h
prepare test tests/support/catch.h
prepare tensor src/pch/torch_tensor.h
prepare nn src/pch/torch_nn.h
# Between libc++ and the C library of Linux nothing may know of macOS yet.
{
  grep -rhoE --include='*.h' --include='*.cpp' '^#include <([a-z_]+|fmt/[a-z]+\.h)>' include src tests | sort -u
  printf '%s\n' '#include "support/catch.h"' '#undef __linux__' '#define __APPLE__ 1'
} >"$work/apple.h"
prepare apple "$work/apple.h" -isystem tests/lint/apple

mkdir "$work/keys"
find include src models tests "$build"/generated/*.cpp \( -name '*.h' -o -name '*.cpp' \) ! -path 'tests/lint/apple/*' \
  ! -path '*/catch2_main.cpp' -exec sha256sum {} + >"$work/hashes"
common=$({ "$compiler" --version; cat "$work"/*.flags src/pch/*.h; find tests/lint/apple -type f -exec cat {} +; } | sha256sum)
cut -d ' ' -f 3 "$work/hashes" | xargs awk -v hashes="$work/hashes" -v work="$work/keys" -f tests/lint/libcxx.awk \
  "$work/hashes" | sort >"$work/sources"
for key in "$work"/keys/*; do echo "$common" >>"$key"; done
sha256sum "$work"/keys/* | awk '{ print $2, $1 }' | sort | join - "$work/sources" | while read -r _ key kind source; do
  [[ -e $clean/$key ]] || echo "$kind $key $source"
done | sort >"$work/stale"

precompile() { "$compiler" "@$work/$1.flags" -x c++-header "$(<"$work/$1.header")" -o "$work/$1.pch"; }
check() { "$compiler" "@$work/$1.flags" -include-pch "$work/$1.pch" -fsyntax-only "$3" && touch "$clean/$2"; }
export -f precompile check
export compiler work clean
# Without a line xargs runs its command all the same.
# shellcheck disable=SC2016  # It is the inner shell that expands.
if [[ -s $work/stale ]]; then
  cut -d ' ' -f 1 "$work/stale" | uniq | xargs -P "$(job_count)" -I {} bash -c 'precompile {}'
  xargs -P "$(job_count)" -L 1 bash -c 'check "$@"' check <"$work/stale"
fi
echo "$(wc -l <"$work/stale") of $(wc -l <"$work/sources") compiled"
