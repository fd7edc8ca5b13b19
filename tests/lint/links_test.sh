#!/usr/bin/env bash
# usage: links_test.sh ROOT: links of the documentation lead to files and headings that are there; one that does not is found.
set -euo pipefail
cd "$1"
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-test.XXXXXX")
trap 'rm -rf "$folder"' EXIT
# shellcheck disable=SC2016 # These are quotes of Markdown.
printf '# A heading\n[fine](#a-heading) [fine](page.md) `[code](none.md)`\n' >"$folder/page.md"
awk -f tests/lint/links.awk "$folder/page.md"
for target in none.md '#none' http://example.org; do
  printf '# A heading\n[broken](%s)\n' "$target" >"$folder/page.md"
  if awk -f tests/lint/links.awk "$folder/page.md" >/dev/null; then echo "$target is taken for a good link" && exit 1; fi
done
find . -name '*.md' -not -path './build/*' -not -path './.git/*' -not -path './tests/data/*' | sed 's#^\./##' | sort | xargs awk -f tests/lint/links.awk
