#!/usr/bin/env bash
# usage: includes_test.sh ROOT: each include is of the own folder or of one under NEEDS, and none closes a circle; one that does is found.
set -euo pipefail
cd "$1"
look() { find include src models \( -name '*.h' -o -name '*.cpp' -o -name CMakeLists.txt \) -exec awk -f "$1/tests/lint/includes.awk" {} +; }
look "$1"
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-test.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p include models src/a src/b
echo 'gpubench_folder(NEEDS core LIBRARIES b)' | tee src/a/CMakeLists.txt >src/b/CMakeLists.txt
echo '#include "b/b.h"' >src/a/a.cpp
echo '#include "a/a.h"' >src/a/b.h
echo '#include "a/b.h"' >src/a/a.h
touch src/b/b.h
found=$(look "$1" || true)
for text in "src/a/a.cpp includes src/b/b.h, but the CMakeLists.txt of a has no NEEDS b" "include each other"; do
  grep -qF "$text" <<<"$found" || { echo "not found: $text; but: $found"; exit 1; }
done
