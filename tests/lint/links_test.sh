#!/usr/bin/env bash
# usage: links_test.sh ROOT
# Checks the links of all Markdown files with links.awk, and that it finds broken ones.
set -euo pipefail
cd "$1"
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-test.XXXXXX")
trap 'rm -rf "$folder"' EXIT
# shellcheck disable=SC2016 # These are quotes of Markdown.
printf '# A heading\n[fine](#a-heading) [fine](page.md) `[code](none.md)`\n' >"$folder/page.md"
awk -f tests/lint/links.awk "$folder/page.md"
for target in none.md '#none' http://example.org; do
  printf '# A heading\n[broken](%s)\n' "$target" >"$folder/page.md"
  if awk -f tests/lint/links.awk "$folder/page.md" >/dev/null; then echo "links.awk does not report the link $target" && exit 1; fi
done
find . -name '*.md' -not -path './build/*' -not -path './.git/*' -not -path './tests/data/*' | sed 's#^\./##' | sort | xargs awk -f tests/lint/links.awk
