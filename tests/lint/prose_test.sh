#!/usr/bin/env bash
# usage: prose_test.sh ROOT [PROGRAM]: no text of the project, and no help page of PROGRAM, has a phrase that prose.awk rules out.
set -euo pipefail
cd "$1"
program=${2:-}
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-test.XXXXXX")
trap 'rm -rf "$folder"' EXIT

# finds TEXT [FILE]: the rules find a fault in the text.
finds() {
  printf '%s\n' "$1" >"$folder/${2:-text.cpp}"
  ! awk -f tests/lint/prose.awk "$folder/${2:-text.cpp}" >/dev/null
}
for text in '/// What it costs.' 'int a;  ///< Of all rows.' '// The same with marks.' 'f("Of this run.");' '// It is no way.' '// Ends. Of these,' \
  '// the options are told' '// after so many steps' '// all but for one' '// made anew' '// nothing where none is' 'TEST_CASE("what ends") {'; do
  finds "$text" || { echo "the rules do not find: $text" && exit 1; }
done
finds 'Of the rows.' text.md || { echo "the rules do not read Markdown" && exit 1; }
for text in '/// Returns the cost.' '// What does it cost?' 'offset = of(x);'; do
  if finds "$text"; then echo "the rules refuse: $text" && exit 1; fi
done

if [[ -n $program ]]; then
  "$program" --help >"$folder/gpubench.help"
  "$program" --help-all >"$folder/gpubench-all.help"
  sed -n 's/^GPUBENCH_ENTRY(\([a-z]*\))$/\1/p' src/app/commands/catalog.def | while read -r command; do
    "$program" "$command" --help-all >"$folder/$command.help"
  done
fi
rm -f "$folder"/text.*
# Help pages of the program come after the files of the project.
{
  git ls-files --cached --others --exclude-standard |
    grep -E '\.(cpp|h|mm|cu|md|sh|awk|cmake|py|js|css|def|json|yml|plan|html)$|CMakeLists\.txt$|^\.ci/run$' |
    grep -vE '^tests/(fixtures|fuzz/corpus|lint/prose)|^LICENSE' |
    while read -r file; do [[ ! -e $file ]] || printf '%s\0' "$file"; done
  find "$folder" -name '*.help' -print0
} | xargs -0 awk -f tests/lint/prose.awk
