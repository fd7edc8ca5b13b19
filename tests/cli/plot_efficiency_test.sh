#!/usr/bin/env bash
# Tests of scripts/plot-efficiency.sh with results that are made here of those in tests/fixtures/results.

set -euo pipefail
# shellcheck source=tests/cli/plot_checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/plot_checks.sh"

# scaled HOST: the mlp with batch 32 on one rank and on two, which take 0.625 times as long (strong), and with batch 64 on two, which
# take 1.25 times as long as one does with 32 (weak): both are efficiencies of 80 %.
scaled() {
  jq --arg host "$1" "$slower"'
    .environment.host = $host
    | [.cases[] | select(.model == "mlp" and .batch == 32)][0] as $one
    | .cases = [$one, ($one | .ranks = 2 | slower(0.625)), ($one | .ranks = 2 | .batch = 64 | slower(0.625))]' "$results/alpha-cpu.json"
}

write_documents() {
  scaled alpha >"$folder/alpha.json"
  scaled beta >"$folder/beta.json"
}

test_each_scaling_and_machine_has_a_line() {
  plot efficiency alpha.json beta.json
  check "efficiency succeeds" is "$status" 0
  check "stdout is the name of the chart" is "$(cat "$folder/stdout")" efficiency.svg
  local label
  for label in "mlp, strong, batch 32, cpu on alpha" "mlp, weak, batch 32 a rank, cpu on alpha" "mlp, strong, batch 32, cpu on beta"; do
    check "the chart has a line '$label'" says efficiency.svg ">$label<"
  done
  check "the y axis has a unit" says efficiency.svg "efficiency [%]"
  check "the x axis says what it is" says efficiency.svg ">ranks<"
  check "the y axis ends above all that is right" says efficiency.svg ">100<"
}

test_the_figures_are_those_of_the_documents() {
  "$GPUBENCH" compare --figures runs --format tsv "$folder/alpha.json" "$folder/beta.json" >"$folder/figures"
  local column
  column=$(head -n 1 "$folder/figures" | tr '\t' '\n' | grep -nx value | cut -d: -f1)
  check "an efficiency of 80 % is told twice for each machine" \
    is "$(grep '_efficiency' "$folder/figures" | cut -f "$column" | cut -c 1-4 | sort | uniq -c | tr -s ' ')" " 4 0.8"
}

test_runs_of_single_ranks_are_refused() {
  refuses 2 "no file has a case of one rank and the same of several" efficiency "$results/alpha-cpu.json"
}

write_documents
run_tests
