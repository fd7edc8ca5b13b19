# shellcheck shell=bash
# Counts the verdicts of comparisons.

: "${GPUBENCH:?is not set; give the program, such as build/release/gpubench}"
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-outcomes.XXXXXX")
trap 'rm -rf "$folder"' EXIT
export GPUBENCH_STORE=$folder/store.sqlite  # Keeps the runs out of the user's history.

# note_verdicts NAME LOW HIGH: adds a line "NAME verdict" for each ratio of a case in the table on
# stdin. LOW and HIGH are the columns with the ends of the interval. The margin of "equal" is 5 %.
note_verdicts() {
  awk -F'\t' -v name="$1" -v low_name="$2" -v high_name="$3" '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    "against" in column && $column["against"] == "" { next }
    "metric" in column && "scope" in column && ($column["metric"] != "speed_ratio" || $column["scope"] != "case") { next }
    {
      low = $column[low_name]; high = $column[high_name]
      verdict = low == "" ? "unknown" : low > 1 ? "faster" : high < 1 ? "slower" \
        : low >= 1 / 1.05 && high <= 1.05 ? "equal" : "inconclusive"
      print name, verdict
    }' >>"$folder/outcomes"
}

# count_verdicts NAME A B: notes the verdicts on the cases of two training runs.
count_verdicts() { "$GPUBENCH" compare "$2" "$3" --unlike --values runs --format tsv | note_verdicts "$1" low high; }

# count_ops_verdicts A B: notes the verdicts on the cases of two operation runs.
count_ops_verdicts() { "$GPUBENCH" compare "$1" "$2" --format tsv | note_verdicts operations speed_ratio_low speed_ratio_high; }

# count_gate A B: notes the exit code of the gate.
count_gate() {
  local code=0
  "$GPUBENCH" compare "$1" "$2" --gate 5% >/dev/null || code=$?
  echo "gate, exit code $code" >>"$folder/outcomes"
}

summary() { sort "$folder/outcomes" | uniq -c; }

# Prints the median of the numbers on stdin, one per line.
median() { sort -n | awk '{ value[NR] = $1 } END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'; }
