#!/usr/bin/env bash
# usage: includes_test.sh ROOT
# Checks the includes with includes.awk, and that it finds violations.
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
for text in "src/a/a.cpp: includes src/b/b.h, but NEEDS of a does not list b" "include cycle"; do
  grep -qF "$text" <<<"$found" || { echo "includes.awk does not report '$text', but: $found"; exit 1; }
done
