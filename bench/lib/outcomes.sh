# shellcheck shell=bash
# Counts what comparisons say of their cases.

: "${GPUBENCH:?the program to measure, such as build/release/gpubench}"
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-outcomes.XXXXXX")
trap 'rm -rf "$folder"' EXIT

# outcomes WHO A B: notes a line "WHO outcome" for each case. The margin of "equal" is 5 %, as without a calibration.
outcomes() {
  "$GPUBENCH" compare "$2" "$3" --force --figures runs --format tsv | awk -F'\t' -v who="$1" '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    $column["figure"] != "speed_ratio" || $column["scope"] != "case" { next }
    {
      low = $column["low"]; high = $column["high"]
      said = low == "" ? "unknown" : low > 1 ? "faster" : high < 1 ? "slower" \
        : low >= 1 / 1.05 && high <= 1.05 ? "equal" : "cannot be told"
      print who, said
    }' >>"$folder/outcomes"
}

summary() { sort "$folder/outcomes" | uniq -c; }

# Of the numbers on stdin, a line each.
median() { sort -n | awk '{ value[NR] = $1 } END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'; }
