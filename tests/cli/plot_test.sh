#!/usr/bin/env bash
# Tests scripts/plot-*.sh: each chart exists and has the right series and numbers.
# usage: plot_test.sh GPUBENCH

# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"

for tool in jq gnuplot; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is missing"; exit 77; }
done
export GPUBENCH=${1:?usage: $0 GPUBENCH}
results=$root/tests/fixtures/results
alpha=$results/alpha-cpu.json
beta=$results/beta-cuda.json
# shellcheck disable=SC2016  # A variable of jq.
slower='def slower($factor): .samples.epoch_seconds |= ((. // []) | map(. * $factor));'

# plot CHART ARGUMENT...: runs the script in $folder, with output in stdout there; sets `status`.
plot() {
  local chart=$1
  shift
  status=0
  (cd "$folder" && "$root/scripts/plot-$chart.sh" "$@" >stdout 2>stderr) || status=$?
}

# draws CHART FILE... -- TEXT...: checks that CHART.svg has each text and that its name is printed.
draws() {
  local chart=$1 files=()
  shift
  while [[ $1 != -- ]]; do files+=("$1") && shift; done
  shift
  plot "$chart" "${files[@]}"
  check "$chart succeeds" is "$status" 0
  check "$chart prints the name of the chart" is "$(cat "$folder/stdout")" "$chart.svg"
  for text in "$@"; do check "$chart shows $text" says "$chart.svg" ">$text<"; done
}

# table CHART FILE...: prints the rows of the table on one line, with three digits.
table() {
  local chart=$1
  shift
  plot "$chart" "$@" -o -
  awk -F '\t' 'NR > 1 { printf "%s", $1; for (i = 2; i <= NF; ++i) printf $i == "?" ? " ?" : " %.3g", $i; printf ";" }' "$folder/stdout"
}

# refuses CODE TEXT CHART ARGUMENT...: checks the exit code and that one line has TEXT.
refuses() {
  local code=$1 text=$2 chart=$3
  shift 3
  rm -f "$folder/$chart.svg"
  plot "$chart" "$@"
  check "$chart $* exits with $code, not $status" is "$status" "$code"
  check "$chart $* prints one line" is "$(count_lines stderr)" 1
  check "$chart $* prints: $text" says stderr "$text"
  check "$chart $* leaves no chart" test ! -e "$folder/$chart.svg"
}

test_epoch_times() {
  draws epoch-time "$alpha" "$beta" -- "mlp, cpu on alpha" "lstm, cuda:0 on beta" "median epoch [s]" 1024
  check "a failed case is reported" says stderr "lstm, batch 1024 on cuda:0 is omitted: oom"
  check "the table is sorted by batch size" is "$(table epoch-time "$alpha")" "32 6.4 14.2 17.5;128 2.4 11.8 9.2;1024 1.6 12.9 7.1;"
  jq '.results |= map(.samples.epoch_seconds |= ((. // []) | map(3.3 + . / 1000)))' "$alpha" >"$folder/near.json"
  draws epoch-time near.json -- 3.31
  check "a failed case is missing" is "$(table epoch-time "$beta")" "32 2.1 2.6 7.9;128 0.55 0.71 2.1;1024 0.08 0.16 ?;"
}

# By hand: 6.4/2.1, 2.4/.55, 1.6/.08, 14.2/2.6, 11.8/.71, 12.9/.16, 17.5/7.9, 9.2/2.1; the eighth
# root of their product is 8.12.
test_speed_ratios() {
  draws speedup "$alpha" "$beta" -- "cuda:0 on beta over cpu on alpha: 8.12 (geometric mean of 8)" 3.05 80.6
  check "a failed case is reported" says stderr "omitted"
  plot speedup "$beta" "$alpha" -o -
  check "the reverse order gives the reciprocal mean" says stdout ": 0.123 (geometric mean of 8)"
  draws summary "$alpha" "$beta" -- "cuda:0 on beta over cpu on alpha: geometric mean, whiskers: smallest to largest ratio" overall
  check "means and ranges of models are right" is "$(table summary "$alpha" "$beta")" \
    "mlp 6.43 9.14 3.05 20;cnn 19.4 34.2 5.46 80.6;lstm 3.12 3.3 2.22 4.38;overall 8.12 17.1 2.22 80.6;"
}

test_gpus_over_the_cpu_of_their_file() {
  jq --slurpfile other "$beta" '.results += $other[0].results' "$alpha" >"$folder/both.json"
  draws gpu-benefit both.json "$beta" -- "cuda:0 on alpha over cpu on alpha: 8.12 (geometric mean of 8)" 80.6
  draws gpu-benefit published:m1-ultra-cpu "$root/results/reference/m1-ultra-rtx-2070-super.json" -- 12.7
  check "published figures are marked" says gpu-benefit.svg "M1 Ultra GPU (published) over M1 Ultra CPU (published)"
}

# By hand: six cases twice as fast, two half as fast: the eighth root of 2^6 / 2^2 is 1.41.
test_precisions_over_fp32() {
  jq "$slower"'.results |= map(., (.asked.precision = "fp16" | slower(if .asked.batch_size == 1024 then 2 else 0.5 end)))' "$beta" >"$folder/two.json"
  draws precision-gain two.json "$alpha" -- "fp16, cuda:0 on beta: 1.41 (geometric mean of 8)" 2 0.5
}

# By hand: two ranks take 0.625 of the time of one rank with the same batch size, so both
# efficiencies are 0.5 / 0.625 = 80 %.
test_efficiency_of_ranks() {
  jq "$slower"'[.results[] | select(.asked.model == "mlp" and .asked.batch_size == 32)][0] as $one
    | .results = [$one, ($one | .asked.world_size = 2 | slower(0.625)), ($one | .asked.world_size = 2 | .asked.batch_size = 64 | slower(0.625))]' "$alpha" >"$folder/ranks.json"
  draws efficiency ranks.json -- "mlp, strong, batch 32, cpu on alpha" "mlp, weak, batch 32 per rank, cpu on alpha"
  check "both efficiencies are right" is "$(table efficiency ranks.json)" "2 80 80;"
}

test_sweeps_of_matrix_products() {
  jq -n 'def row($size; $rate): {workload: "op", status: "ok",
      asked: {op: "matmul", sizes: "\($size)x\($size) \($size)x\($size)", type: "fp32", direction: "forward", cache: "warm", device: "cpu"},
      facts: {flop: (2 * $size * $size * $size), clock: "host", calls_per_sample: 1},
      samples: {call_seconds: [2 * $size * $size * $size / $rate]}};
    {schema_version: 1, tool: {name: "gpubench"}, environment: {host: "alpha"}, plan: {kind: "sweep"}, results: [
      row(512; 2e12), row(256; 1e12), (row(1024; 1) | .status = "oom" | .status_message = "no memory" | del(.samples))]}' >"$folder/ops.json"
  draws sweep ops.json -- "fp32, cpu on alpha" 512 "rate [TFLOP/s]"
  check "a failed product is reported" says stderr "matmul 1024x1024 1024x1024 fp32 on cpu is omitted: oom: no memory"
  check "rates are right" is "$(table sweep ops.json)" "256 1;512 2;"
  jq '.results |= map(if .samples then .samples.call_seconds[0] *= 50 else . end)' "$folder/ops.json" >"$folder/slow.json"
  draws sweep slow.json -- "rate [GFLOP/s]" 30
  jq '.results[].asked.op = "softmax"' "$folder/ops.json" >"$folder/others.json"
  refuses 2 "no file has timed square matrix products" sweep others.json
}

test_png() {
  gnuplot -e 'set terminal pngcairo' >/dev/null 2>&1 || return 0
  plot epoch-time "$alpha" -o chart.png
  check "a PNG is drawn" is "$(head -c 4 "$folder/chart.png" | tail -c 3)" PNG
}

test_names_from_files_are_never_executed() {
  local chart name="a'b\"c \$(touch pwned) \`touch pwned\`.json"
  jq '.results |= map(., (.asked.device = "cpu"), (.asked.precision = "fp16"))' "$results/hostile.json" >"$folder/$name"
  for chart in epoch-time speedup summary gpu-benefit precision-gain; do
    plot "$chart" "$name" -o "$name.svg"
    check "$chart draws hostile names" is "$status" 0
    check "no markup reaches the chart of $chart" lacks "$name.svg" "<script"
    check "no control character reaches the chart of $chart" lacks "$name.svg" $'\033'
  done
  check "no command of a name ran" test ! -e "$folder/pwned"
}

test_bad_input_is_rejected_in_one_line() {
  refuses 2 "result files are missing" epoch-time
  refuses 2 "--bad: unknown option" epoch-time --bad
  refuses 2 "-o: its value is missing" epoch-time "$alpha" -o
  refuses 2 "give a .svg or .png file" epoch-time "$alpha" -o chart.pdf
  refuses 2 "cannot be written" epoch-time "$alpha" -o absent/chart.svg
  refuses 3 "absent.json: cannot be read" speedup absent.json
  echo '{"a": ' >"$folder/broken.json"
  refuses 3 "broken.json: not valid JSON" epoch-time broken.json
  refuses 2 "no two devices have a common case" speedup "$alpha"
  refuses 2 "no file has the same case in fp32 and in another precision" precision-gain "$alpha"
  refuses 2 "no file has the same case on one rank and on several" efficiency "$alpha"
}

test_missing_programs_are_reported() {
  local tool path=$folder/bare
  mkdir "$path"
  for tool in bash env awk basename dirname grep rm sed tr uname wc; do ln -s "$(command -v "$tool")" "$path/$tool"; done
  PATH=$path refuses 2 "gnuplot is missing" epoch-time "$alpha"
  GPUBENCH=/no/such refuses 2 "GPUBENCH=/no/such: not a program" epoch-time "$alpha"
}

run_tests
