#!/usr/bin/env bash
# Tests of scripts/plot-sweep.sh with documents of operations that are made here.

set -euo pipefail
# shellcheck source=tests/cli/plot_checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/plot_checks.sh"

# sweep_document HOST DEVICE: products of 256 to 1024 in fp32 and fp16, the largest of which did not fit. In fp32 they reach 1, 2 and
# 4 TFLOP/s.
sweep_document() {
  jq -n --arg host "$1" --arg device "$2" '
    def row($type; $size; $rate): {op: "matmul", sizes: "\($size)x\($size) \($size)x\($size)", $type, direction: "forward",
      cache: "warm", $device, status: "ok", status_message: "", flop: (2 * $size * $size * $size),
      clock: "host", calls_per_sample: 1, call_seconds: [2 * $size * $size * $size / $rate]};
    {schema_version: 2, tool: {name: "gpubench"}, environment: {$host}, settings: {kind: "sweep"}, operations: [
      row("fp32"; 256; 1e12), row("fp16"; 256; 2e12), row("fp32"; 512; 2e12), row("fp16"; 512; 8e12), row("fp32"; 1024; 4e12),
      (row("fp16"; 1024; 1) | .status = "oom" | .status_message = "no memory is left" | .call_seconds = [])]}'
}

write_documents() {
  sweep_document alpha cpu >"$folder/alpha.json"
  sweep_document beta cuda:0 >"$folder/beta.json"
}

test_a_sweep_has_a_line_for_each_type_and_machine() {
  plot sweep alpha.json beta.json
  check "sweep succeeds" is "$status" 0
  check "stdout is the name of the chart" is "$(cat "$folder/stdout")" sweep.svg
  local label
  for label in "fp32, cpu on alpha" "fp16, cpu on alpha" "fp32, cuda:0 on beta" "fp16, cuda:0 on beta"; do
    check "the chart has a line '$label'" says sweep.svg ">$label<"
  done
  check "the y axis has a unit" says sweep.svg "rate [TFLOP/s]"
  check "the x axis says what it is" says sweep.svg "rows and columns of each matrix"
  check "the sizes are on the axis" says sweep.svg ">512<"
  check "the failed product is named" says stderr "alpha.json: 1024 x 1024 in fp16 on cpu is left out: oom: no memory is left"
}

test_slow_products_are_in_gflops() {
  jq '.operations[].call_seconds |= map(. * 1000)' "$folder/alpha.json" >"$folder/slow.json"
  plot sweep slow.json
  check "the unit follows the rates" says sweep.svg "rate [GFLOP/s]"
}

test_directions_tell_lines_apart() {
  jq '.operations += (.operations | map(.direction = "forward+backward"))' "$folder/alpha.json" >"$folder/both.json"
  plot sweep both.json
  check "the direction is in the name where there are two" says sweep.svg ">fp32, forward+backward, cpu on alpha<"
}

test_two_sweeps_of_a_machine_are_told_apart_by_file() {
  cp "$folder/alpha.json" "$folder/again.json"
  plot sweep alpha.json again.json
  check "overlapping sweeps are named by file" says sweep.svg ">fp32, cpu on alpha (again.json)<"
}

test_one_product_makes_a_chart() {
  jq '.operations |= .[:1]' "$folder/alpha.json" >"$folder/single.json"
  plot sweep single.json
  check "one product is enough" is "$status" 0
}

test_what_is_no_sweep_is_left_out_or_refused() {
  jq '.operations |= map(.op = "softmax")' "$folder/alpha.json" >"$folder/table.json"
  plot sweep table.json "$results/alpha-cpu.json" alpha.json
  check "a sweep beside other documents is drawn" is "$status" 0
  check "rows of other operations are not" lacks sweep.svg table
  check "a run is left out" says stderr "alpha-cpu.json is left out: it is a run"
  echo '{"a": ' >"$folder/broken.json"
  echo '[1, 2]' >"$folder/array.json"
  jq '.schema_version = 99' "$folder/alpha.json" >"$folder/newer.json"
  jq '.operations[0] = 7' "$folder/alpha.json" >"$folder/mangled.json"
  refuses 2 "no file has square matrix products" sweep table.json
  refuses 3 "broken.json: not JSON" sweep broken.json
  refuses 3 "array.json: has no operations" sweep array.json
  refuses 3 "mangled.json: operations[0]" sweep mangled.json
  refuses 3 "newer.json: schema_version: found 99, but this gpubench reads" sweep newer.json
}

test_a_sweep_without_any_time_is_refused() {
  jq '.operations |= map(select(.status == "ok") | .status = "error")' "$folder/alpha.json" >"$folder/none.json"
  plot sweep none.json
  check "nothing to draw exits with 2, not $status" is "$status" 2
  check "nothing to draw is said" says stderr "none.json: no case ended well"
}

test_tables_of_operations_beside_results_are_left_out_of_their_charts() {
  plot epoch-time alpha.json "$results/alpha-cpu.json"
  check "epoch-time draws what is beside operations" is "$status" 0
  check "epoch-time says what it leaves out" says stderr "alpha.json is left out: it is a table of operations"
}

test_names_from_documents_are_never_executed() {
  # shellcheck disable=SC2016 # nothing is to expand
  sweep_document '$(touch pwned)`touch pwned`<script>' "cpu" >"$folder/hostile.json"
  plot sweep hostile.json
  check "sweep draws a hostile host name" is "$status" 0
  check "markup does not reach the chart" lacks sweep.svg "<script"
  check "no command of the host name ran" test ! -e "$folder/pwned"
}

write_documents
run_tests
