# shellcheck shell=bash
# Counts what comparisons say.

: "${GPUBENCH:?the program to measure, such as build/release/gpubench}"
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-outcomes.XXXXXX")
trap 'rm -rf "$folder"' EXIT
export GPUBENCH_STORE=$folder/store.sqlite  # Not in the user's history.

# say_outcomes WHO LOW HIGH: notes a line "WHO outcome" for each row of a table with these columns, of rows that are a ratio of a case where
# it has other ones. The margin of "equal" is 5 %.
say_outcomes() {
  awk -F'\t' -v who="$1" -v low_name="$2" -v high_name="$3" '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    "against" in column && $column["against"] == "" { next }
    "figure" in column && ($column["figure"] != "speed_ratio" || $column["scope"] != "case") { next }
    {
      low = $column[low_name]; high = $column[high_name]
      said = low == "" ? "unknown" : low > 1 ? "faster" : high < 1 ? "slower" \
        : low >= 1 / 1.05 && high <= 1.05 ? "equal" : "cannot be told"
      print who, said
    }' >>"$folder/outcomes"
}

# outcomes WHO A B: of the cases of two runs.
outcomes() { "$GPUBENCH" compare "$2" "$3" --unlike --figures runs --format tsv | say_outcomes "$1" low high; }

# outcomes_of_ops A B: of the rows of two tables of operations.
outcomes_of_ops() { "$GPUBENCH" compare "$1" "$2" --format tsv | say_outcomes operations speed_ratio_low speed_ratio_high; }

# outcome_of_gate A B: its exit code.
outcome_of_gate() {
  local code=0
  "$GPUBENCH" compare "$1" "$2" --gate 5% >/dev/null || code=$?
  echo "gate, exit code $code" >>"$folder/outcomes"
}

summary() { sort "$folder/outcomes" | uniq -c; }

# Of the numbers on stdin, a line each.
median() { sort -n | awk '{ value[NR] = $1 } END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'; }
