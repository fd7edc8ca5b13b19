#!/usr/bin/env bash
# usage: manual_test.sh ROOT PROGRAM: mandoc finds nothing in the manual pages of the commands and of docs/.
set -euo pipefail
if ! command -v mandoc >/dev/null; then
  echo "skipped: mandoc is not installed"
  exit 77
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-test.XXXXXX")
trap 'rm -rf "$folder"' EXIT
"$2" help --man "$folder"
if command -v cmark-gfm >/dev/null; then
  for page in "$1"/docs/*.md; do
    name=$(basename "$page" .md)
    cmark-gfm -e table -t man "$page" | awk -v page="$name" -v date="January 1, 2026" -v version=0 -f "$1/scripts/lib/manual.awk" \
      >"$folder/gpubench-$name.7"
  done
else
  echo "not looked at, since cmark-gfm is not installed: pages of docs/"
fi
# They refer to each other, and to none that is not there.
mandoc -T lint -W warning "$folder"/*
sed -n 's/^\.Xr \([^ ]*\) \([17]\).*/\1.\2/p' "$folder"/*.1 | sort -u | while read -r name; do
  [[ -e $folder/$name || ($name == *.7 && ! -e $folder/gpubench-timing.7) ]] || { echo "$name: is referred to and not there" && exit 1; }
done
