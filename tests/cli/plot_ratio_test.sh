#!/usr/bin/env bash
# Tests of scripts/plot-summary.sh, plot-precision-gain.sh and plot-gpu-benefit.sh, and of published figures in charts.

set -euo pipefail
# shellcheck source=tests/cli/plot_checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/plot_checks.sh"

alpha=$results/alpha-cpu.json
beta=$results/beta-cuda.json
published=$root/results/reference/m1-ultra-rtx-2070-super.json

# row MODEL [DEVICE]: count, avg, min, max and geometric mean of the model in the table on stdout, three digits each.
row() {
  awk -F '\t' -v model="$1" -v device="${2:-}" '$2 == model && (device == "" || $1 == device) {
    printf "%d %.3g %.3g %.3g %.3g", $3, $4, $5, $6, $7 }' "$folder/stdout"
}

# A run of one machine on CPU and GPU.
both_devices() { jq --slurpfile other "$beta" '.cases += $other[0].cases' "$alpha"; }

# Beta's run in fp32, and half as long in fp16 but for batch 1024, where it takes twice as long.
two_precisions() {
  jq "$slower"'.cases |= map(., (.precision = "fp16" | slower(if .batch == 1024 then 2 else 0.5 end)))' "$beta"
}

# By hand, cnn: 14.2/2.6 = 5.46, 11.8/.71 = 16.6, 12.9/.16 = 80.6; their sum by 3 is 34.2, the cube root of their
# product 19.4. lstm: 17.5/7.9 and 9.2/2.1. Overall: the ratios of plot_test.sh.
test_summary_has_the_means_and_limits_of_each_model() {
  rm -f "$folder/summary.svg"
  plot summary "$alpha" "$beta" -o -
  check "the table succeeds" is "$status" 0
  check "the table has a heading" is "$(head -n 1 "$folder/stdout")" \
    $'device\tmodel\tcount\tavg\tmin\tmax\tgeometric_mean'
  check "mlp is right" is "$(row mlp)" "3 9.14 3.05 20 6.43"
  check "cnn is right" is "$(row cnn)" "3 34.2 5.46 80.6 19.4"
  check "lstm is right" is "$(row lstm)" "2 3.3 2.22 4.38 3.12"
  check "overall is right" is "$(row overall)" "8 17.1 2.22 80.6 8.12"
  check "the table has a row for each model and one for all" is "$(lines_of stdout)" 5
  check "the failed case is named" says stderr "lstm on cuda:0, fashion-mnist, batch 1024 is left out: oom"
  check "cases without counterpart are counted" says stderr "1 case(s) of cpu on alpha have no counterpart"
  check "no chart is drawn" test ! -e "$folder/summary.svg"
}

test_summary_prints_a_table_to_read() {
  rm -f "$folder/summary.svg"
  plot summary "$alpha" "$beta" --table
  check "--table succeeds" is "$status" 0
  check "--table names the baseline" says stdout "Speed ratio over cpu on alpha"
  check "--table has aligned rows" says stdout "cuda:0 on beta  cnn          3  34.2  5.46  80.6            19.4"
  check "--table names the formula of the ratio" says stdout "ratio: epoch time of the baseline / epoch time of the device"
  check "--table names the formula of the mean" says stdout "geometric mean: n-th root of their product"
  check "--table draws no chart" test ! -e "$folder/summary.svg"
}

test_summary_draws_the_same_figures() {
  plot summary "$alpha" "$beta"
  check "summary succeeds" is "$(cat "$folder/stdout")" summary.svg
  local text
  for text in "Speed ratio over cpu on alpha" "cuda:0 on beta" overall 34.2 5.46 80.6 19.4 8.12 "avg: arithmetic mean"; do
    check "the chart says $text" says summary.svg ">$text<"
  done
}

test_the_table_needs_no_gnuplot() {
  local path=$folder/no-gnuplot tool
  mkdir "$path"
  for tool in bash env awk basename dirname mktemp cat rm uname; do ln -s "$(command -v "$tool")" "$path/$tool"; done
  status=0
  PATH=$path "$root/scripts/plot-summary.sh" "$alpha" "$beta" --table >"$folder/stdout" 2>"$folder/stderr" || status=$?
  check "--table succeeds without gnuplot" is "$status" 0
}

test_repetitions_count_once_with_their_median() {
  jq "$slower"'.cases |= map(., (.repeat = 2 | slower(2)), (.repeat = 3 | slower(9)))' \
    "$alpha" >"$folder/repeated.json"
  plot summary repeated.json "$beta" -o -
  check "the median of three repetitions counts" is "$(row cnn)" "3 68.5 10.9 161 38.8"
}

test_modes_that_were_swept_are_told_apart() {
  local sweep='.cases |= map(.execution = "eager", (.execution = "graph"))'
  jq "$sweep" "$alpha" >"$folder/swept-alpha.json"
  jq "$sweep" "$beta" >"$folder/swept-beta.json"
  plot summary swept-alpha.json swept-beta.json -o -
  check "eager is compared with eager" is "$(row "cnn (eager)")" "3 34.2 5.46 80.6 19.4"
  check "graph is compared with graph" is "$(row "cnn (graph)")" "3 34.2 5.46 80.6 19.4"
}

test_sizes_are_told_apart() {
  local resize='.cases |= map(select(.batch == 32)) | .cases[0:2] |= [
    (.[0] | .sizes = "heads=2,layers=2"), (.[1] | .model = "mlp" | .sizes = "heads=2,layers=4")]'
  jq "$resize" "$alpha" >"$folder/sized-alpha.json"
  jq "$resize" "$beta" >"$folder/sized-beta.json"
  plot summary sized-alpha.json sized-beta.json -o -
  check "one size has its own row" is "$(row "mlp (layers=2)")" "1 3.05 3.05 3.05 3.05"
  check "the other size has its own row" is "$(row "mlp (layers=4)")" "1 5.46 5.46 5.46 5.46"
}

# By hand: six cases twice as fast, two of batch 1024 half as fast: the eighth root of 2^6 / 2^2 is 1.41.
test_precision_gain_is_over_fp32_of_the_same_device() {
  two_precisions >"$folder/precisions.json"
  plot precision-gain precisions.json "$alpha"
  check "precision-gain succeeds" is "$status" 0
  check "the legend has precision, device, mean and count" \
    says precision-gain.svg ">fp16, cuda:0 on beta: 1.41 (geometric mean of 8)<"
  check "a gain stands at its bar" says precision-gain.svg ">2<"
  check "a loss stands at its bar" says precision-gain.svg ">0.5<"
  check "the axis names the formula" says precision-gain.svg "precision gain (epoch time in fp32 / epoch time)"
  check "a device with fp32 alone has no bar" lacks precision-gain.svg "alpha"
  check "the failed case is named" says stderr "lstm on cuda:0, fashion-mnist, batch 1024 is left out: oom"
  check "models are not told apart by precision" lacks precision-gain.svg ">fp16<"
}

test_precisions_are_compared_within_their_device() {
  two_precisions | jq "$slower"'.cases |= map(.device = "cpu" | .precision |= (if . == "fp16" then "bf16" else . end)
    | slower(8))' >"$folder/cpu.json"
  two_precisions | jq --slurpfile cpu "$folder/cpu.json" '.cases += $cpu[0].cases' >"$folder/devices.json"
  plot precision-gain devices.json
  check "one device has its gain" says precision-gain.svg ">fp16, cuda:0 on beta: 1.41 (geometric mean of 8)<"
  check "the other device has its gain" says precision-gain.svg ">bf16, cpu on beta: 1.41 (geometric mean of 8)<"
}

test_a_failed_precision_is_named() {
  two_precisions | jq '.cases |= map(if .precision == "fp16" and .model == "lstm"
    then .status = "unsupported" | .status_message = "no" else . end)' >"$folder/failed.json"
  plot precision-gain failed.json
  check "what failed is named with its precision" says stderr "lstm on cuda:0, fashion-mnist, batch 32, fp16 is left out"
  check "what it leaves alone is counted" says stderr "2 case(s) of fp32, cuda:0 on beta have no counterpart"
}

test_speedup_tells_precisions_apart() {
  two_precisions >"$folder/precisions.json"
  jq "$slower"'.environment.host = "gamma" | .cases |= map(slower(3))' \
    "$folder/precisions.json" >"$folder/gamma.json"
  plot summary gamma.json precisions.json -o -
  check "fp16 has its own row" is "$(row "cnn (fp16)")" "3 3 3 3 3"
}

# The ratios are those of the speed-up, since the times are.
test_gpu_benefit_is_over_the_cpu_of_the_same_file() {
  both_devices >"$folder/both.json"
  plot gpu-benefit both.json "$beta"
  check "gpu-benefit succeeds" is "$status" 0
  check "the legend has both devices" says gpu-benefit.svg ">cuda:0 over cpu on alpha: 8.12 (geometric mean of 8)<"
  check "a bar has its ratio" says gpu-benefit.svg ">80.6<"
  check "the axis names the formula" says gpu-benefit.svg "GPU benefit (epoch time on CPU / epoch time on GPU)"
  check "a file without a CPU has no bar" lacks gpu-benefit.svg "on beta"
  check "what has no counterpart is counted" says stderr \
    "1 case(s) of cpu on alpha have no counterpart in those of cuda:0 on alpha"
}

# By hand: dcgan takes 1942.078/285.473 = 6.80 and 1684.591/252.657 = 6.67 times as long on the CPU.
test_published_figures_are_drawn_and_marked() {
  local chart
  for chart in epoch-time speedup summary gpu-benefit; do
    plot "$chart" "$published"
    check "$chart draws published figures" is "$status" 0
    check "$chart marks published figures" says "$chart.svg" "(published, other protocol): m1-ultra-rtx-2070-super.json"
    check "$chart marks a published device" says "$chart.svg" "RTX 2070 Super"
    check "$chart names the failed rows" says stderr "RTX 2070 Super, wikitext2, batch 200 is left out: oom"
  done
  plot summary "$published" -o -
  check "dcgan is right" is "$(row dcgan "RTX 2070 Super (published)")" "2 6.74 6.67 6.8 6.73"
  check "siamese is right" is "$(row siamese "M1 Ultra GPU (published)")" "2 7.94 3.15 12.7 6.33"
}

# 285.473 s published: half of that is twice as fast.
test_published_figures_stand_beside_measured_ones() {
  jq '.environment.host = "gamma" | .cases |= [.[0] | .model = "dcgan" | .dataset = "lsun-classroom" | .batch = 64
    | .epoch_seconds = [142.7365, 142.7365]]' "$beta" >"$folder/measured.json"
  plot speedup published:rtx-2070-super measured.json
  check "a measured device is compared with a published one" says speedup.svg "cuda:0 on gamma is 2 times as fast"
  check "the chart says which figures are published" says speedup.svg "(published, other protocol): published:rtx-2070-super"
  plot summary published:rtx-2070-super measured.json -o -
  check "a precision that is not told needs no name" is "$(row dcgan)" "1 2 2 2 2"
}

test_many_bars_go_into_rows() {
  jq '.cases |= [.[0] as $case | range(12) as $model | (32, 64, 128, 256) as $batch
    | (range(10) + 1) as $device
    | $case + {$batch, model: "model\($model)", device: "cuda:\($device)", epoch_seconds: [30 / $device, 30 / $device]}]' \
    "$beta" >"$folder/many.json"
  local chart
  for chart in speedup summary; do
    plot "$chart" many.json
    check "$chart draws many bars" is "$status" 0
    check "$chart has the first model" says "$chart.svg" ">model0<"
    check "$chart has the last model" says "$chart.svg" ">model11<"
    check "$chart has the last device" says "$chart.svg" "cuda:10 on beta"
  done
  local width
  width=$(grep -o 'viewBox="0 0 [0-9]*' "$folder/speedup.svg" | grep -o '[0-9]*$')
  check "the chart is $width wide, which is no wider than a page" test "$width" -lt 2500
}

test_png_where_gnuplot_can() {
  gnuplot -e 'set terminal pngcairo' >/dev/null 2>&1 || gnuplot -e 'set terminal png' >/dev/null 2>&1 || return 0
  local chart
  both_devices >"$folder/both.json"
  two_precisions >"$folder/precisions.json"
  for chart in summary gpu-benefit precision-gain; do
    plot "$chart" both.json -o "$chart.png"
    [[ $chart != precision-gain ]] || plot "$chart" precisions.json -o "$chart.png"
    check "$chart draws a PNG" is "$(head -c 4 "$folder/$chart.png" | tail -c 3)" PNG
  done
}

# A hostile name in every text that reaches a chart, a table or the terminal.
hostile_names() {
  jq --arg name "$(jq -r .environment.host "$results/hostile.json")" '
    .cases |= map(., (.device = "cpu"), (.precision = "fp16"))
    | .cases |= map(.model += $name | .dataset += $name | .sizes = "size=" + $name
        | if .device == "cpu" then . else .device += $name end)
    | .cases += [.cases[0] | .batch = 7 | .status = "error" | .status_message = $name + "\u001b]0;pwned\u0007"]' "$results/hostile.json"
}

test_names_from_files_are_never_executed() {
  hostile_names >"$folder/hostile.json"
  local chart
  for chart in epoch-time speedup summary gpu-benefit precision-gain; do
    plot "$chart" hostile.json
    check "$chart draws hostile names" is "$status" 0
    check "markup does not reach the chart of $chart" lacks "$chart.svg" "<script"
    check "control characters do not reach the chart of $chart" lacks "$chart.svg" $'\033'
    check "control characters of $chart do not reach the terminal" lacks stderr $'\033'
  done
  local option
  for option in "-o -" --table; do
    # shellcheck disable=SC2086
    plot summary hostile.json $option
    check "the table of hostile names succeeds" is "$status" 0
    check "control characters do not reach the table" lacks stdout $'\033'
    check "markup does not reach the table" lacks stdout "<script"
  done
  check "no command of a name ran" test ! -e "$folder/pwned"
}

test_nothing_to_draw_is_refused() {
  jq '.cases |= map(select(.status == "ok") | .dataset = "cifar10")' "$beta" >"$folder/strange.json"
  refuses 2 "have no case in common" summary "$alpha" strange.json
  refuses 2 "the only device in the files is cpu on alpha" summary "$alpha"
  refuses 2 "the only device in the files is cpu on alpha" summary "$alpha" --table
  refuses 2 "no case was measured in fp32 and in another precision on one device" precision-gain "$alpha"
  refuses 2 "no file has a case of a CPU and of another device" gpu-benefit "$alpha"
}

test_bad_arguments_and_files_are_refused() {
  echo '{"schema_version": 3, "published": {}, "cases": [{"model": 7, "status": "ok"}]}' >"$folder/mangled.json"
  local chart
  for chart in summary precision-gain gpu-benefit; do
    refuses 2 "no result file is named" "$chart"
    refuses 2 "unknown option '--bad'" "$chart" --bad
    refuses 3 "absent.json: cannot be read" "$chart" absent.json
    refuses 2 "use .svg or .png" "$chart" "$alpha" -o chart.pdf
    refuses 3 "mangled.json: cases[0].model" "$chart" mangled.json
  done
  refuses 2 "unknown option '--table'" gpu-benefit "$alpha" --table
  refuses 2 "use .svg or .png" gpu-benefit "$alpha" -o -
}

test_help_succeeds() {
  local chart
  for chart in summary precision-gain gpu-benefit; do
    plot "$chart" --help
    check "--help of $chart succeeds" is "$status" 0
    check "--help of $chart is on stdout" says stdout "usage: scripts/plot-$chart.sh"
  done
}

run_tests
