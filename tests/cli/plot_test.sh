#!/usr/bin/env bash
# Tests of scripts/plot-epoch-time.sh and plot-speedup.sh with the constructed results in tests/fixtures/results.

set -euo pipefail
# shellcheck source=tests/cli/plot_checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/plot_checks.sh"

test_epoch_time_has_a_line_for_each_model_and_machine() {
  plot epoch-time "$results/alpha-cpu.json" "$results/beta-cuda.json"
  check "epoch-time succeeds" is "$status" 0
  check "stdout is the name of the chart" is "$(cat "$folder/stdout")" epoch-time.svg
  local label
  for label in "mlp, cpu on alpha" "lstm, cpu on alpha" "mlp, cuda:0 on beta" "cnn, cuda:0 on beta"; do
    check "the chart has a line '$label'" says epoch-time.svg ">$label<"
  done
  check "the y axis has a unit" says epoch-time.svg "median epoch [s]"
  check "the x axis has a unit" says epoch-time.svg "batch size [samples]"
  check "the failed case is named" says stderr "lstm on cuda:0, fashion-mnist, batch 1024 is left out: oom"
}

test_runs_of_one_machine_are_told_apart_only_where_they_overlap() {
  jq '.cases |= map(select(.batch == 32))' "$results/alpha-cpu.json" >"$folder/small.json"
  jq '.cases |= map(select(.batch > 32))' "$results/alpha-cpu.json" >"$folder/large.json"
  plot epoch-time small.json large.json
  check "complementary runs make one line" says epoch-time.svg ">mlp, cpu on alpha<"
  plot epoch-time "$results/alpha-cpu.json" large.json
  check "overlapping runs are named by file" says epoch-time.svg ">mlp, cpu on alpha (large.json)<"
}

test_a_single_case_makes_a_chart() {
  jq '.cases |= .[:1]' "$results/alpha-cpu.json" >"$folder/single.json"
  plot epoch-time single.json
  check "one case is enough for epoch-time" is "$status" 0
  plot speedup single.json single.json
  check "one common case is enough for speedup" is "$status" 0
}

# By hand: the ratios of the eight common cases are 6.4/2.1, 2.4/.55, 1.6/.08, 14.2/2.6, 11.8/.71, 12.9/.16,
# 17.5/7.9 and 9.2/2.1; the eighth root of their product is 8.12.
test_speedup_shows_ratios_and_their_geometric_mean() {
  plot speedup "$results/alpha-cpu.json" "$results/beta-cuda.json" -o out.svg
  check "speedup succeeds" is "$status" 0
  check "the chart is where -o says" is "$(cat "$folder/stdout")" out.svg
  check "the baseline is named" says out.svg "Speed-up over cpu on alpha"
  check "the title has the geometric mean" says out.svg "cuda:0 on beta is 8.12 times as fast (geometric mean)"
  check "the legend has the host and the count" says out.svg "cuda:0 on beta: 8.12 (geometric mean of 8)"
  check "a bar has its ratio" says out.svg ">3.05<"
  check "the failed case is named" says stderr "lstm on cuda:0, fashion-mnist, batch 1024 is left out: oom"
  check "cases without counterpart are counted" says stderr "1 case(s) of cpu on alpha have no counterpart"
}

test_speedup_of_the_slower_one_is_below_one() {
  plot speedup "$results/beta-cuda.json" "$results/alpha-cpu.json"
  check "the mean is the reciprocal" says speedup.svg "cpu on alpha is 0.12 times as fast"
}

test_a_file_with_two_devices_is_compared_with_itself() {
  jq --slurpfile other "$results/beta-cuda.json" '.cases += $other[0].cases' "$results/alpha-cpu.json" >"$folder/both.json"
  plot speedup both.json
  check "two devices of one file are compared" says speedup.svg "cuda:0 on alpha is 8.12 times as fast"
}

test_png_where_gnuplot_can() {
  gnuplot -e 'set terminal pngcairo' >/dev/null 2>&1 || gnuplot -e 'set terminal png' >/dev/null 2>&1 || return 0
  plot epoch-time "$results/alpha-cpu.json" -o chart.png
  check "a PNG is drawn" is "$(head -c 4 "$folder/chart.png" | tail -c 3)" PNG
}

test_names_from_files_are_never_executed() {
  plot epoch-time "$results/hostile.json" "$results/alpha-cpu.json"
  check "epoch-time draws a hostile host name" is "$status" 0
  check "markup does not reach the chart of epoch-time" lacks epoch-time.svg "<script"
  check "control characters do not reach the chart of epoch-time" lacks epoch-time.svg $'\033'
  plot speedup "$results/hostile.json" "$results/alpha-cpu.json"
  check "speedup draws a hostile host name" is "$status" 0
  check "markup does not reach the chart of speedup" lacks speedup.svg "<script"
  check "control characters do not reach the chart of speedup" lacks speedup.svg $'\033'
  check "no command of the host name ran" test ! -e "$folder/pwned"
}

test_file_names_are_never_executed() {
  local name="a'b\"c \$(touch pwned) \`touch pwned\`.json"
  cp "$results/alpha-cpu.json" "$folder/$name"
  plot epoch-time "$name" "$results/alpha-cpu.json" -o "$name.svg"
  check "a hostile file name is read and written" test -s "$folder/$name.svg"
  check "no command of the file name ran" test ! -e "$folder/pwned"
}

test_files_that_are_no_results_are_refused() {
  echo '{"a": ' >"$folder/broken.json"
  echo '[1, 2]' >"$folder/array.json"
  : >"$folder/empty.json"
  echo '{"schema_version": 1, "tool": {"name": "other"}}' >"$folder/other.json"
  jq '.schema_version = 99' "$results/alpha-cpu.json" >"$folder/newer.json"
  jq '.cases[0] = 7' "$results/alpha-cpu.json" >"$folder/mangled.json"
  local chart
  for chart in epoch-time speedup; do
    refuses 3 "absent.json: cannot be read" "$chart" absent.json
    refuses 3 "broken.json: not JSON" "$chart" broken.json
    refuses 3 "empty.json: is empty" "$chart" empty.json
    refuses 3 "array.json: " "$chart" array.json
    refuses 3 "other.json: has no cases" "$chart" other.json
    refuses 3 "mangled.json: cases[0]" "$chart" mangled.json
    refuses 3 "newer.json: schema_version: found 99, but this gpubench reads" "$chart" newer.json
  done
}

test_peaks_beside_the_results_are_left_out() {
  jq 'del(.cases) | .points = []' "$results/alpha-cpu.json" >"$folder/peak-1.json"
  local chart
  for chart in epoch-time speedup; do
    plot "$chart" peak-1.json "$results/alpha-cpu.json" "$results/beta-cuda.json"
    check "$chart draws what is beside a peak" is "$status" 0
    check "$chart says that a peak is left out" says stderr "peak-1.json is left out"
  done
  status=0
  plot epoch-time peak-1.json
  check "a peak alone is refused" is "$status" 3
  check "a peak alone is refused for what it is" says stderr "no file is a run"
}

# A folder "results" with documents of every kind, as gpubench leaves them there, and the run of a device that failed.
make_results() {
  local measured=$root/tests/fuzz/corpus
  mkdir -p "$folder/results"
  cp "$results/alpha-cpu.json" "$results/beta-cuda.json" "$folder/results"
  cp "$results/operations.json" "$folder/results/1-ops.json"
  cp "$measured/peak/measured.json" "$folder/results/peak-1.json"
  jq '.checks[0].status = "fail"' "$measured/selftest/measured.json" >"$folder/results/selftest-1.json"
  jq '.cases |= map(.status = "error" | .status_message = "no memory" | .epoch_seconds = [])' "$results/alpha-cpu.json" \
    >"$folder/results/0-failed.json"
}

test_documents_of_every_kind_may_lie_among_the_results() {
  make_results
  local chart
  for chart in epoch-time speedup summary; do
    plot "$chart" results/0-failed.json results/1-ops.json results/alpha-cpu.json results/beta-cuda.json results/peak-1.json \
      results/selftest-1.json
    check "$chart draws the runs among all results" is "$status" 0
    check "$chart names the run without an ok case" says stderr "0-failed.json is left out: it is a run without an ok case"
    check "$chart names the operations" says stderr "1-ops.json is left out: it is a table of operations"
    check "$chart names the peak" says stderr "peak-1.json is left out: it is a peak measurement"
    check "$chart names the selftest" says stderr "selftest-1.json is left out: it is a selftest"
  done
  plot epoch-time results
  check "a folder of all kinds is drawn" is "$status" 0
  check "its runs are in the chart" says epoch-time.svg ">cnn, cuda:0 on beta<"
}

test_jq_examples_of_the_documentation_take_all_results() {
  make_results
  local example count=0
  while IFS= read -r example; do
    (cd "$folder" && bash -c "$example" >rows 2>complaints) || true
    check "it prints rows, and complains of no file: $example" test -s "$folder/rows" -a ! -s "$folder/complaints"
    count=$((count + 1))
  done < <(grep -hE '^ *jq ' "$root/README.md" "$root"/docs/*.md "$root/results/README.md")
  check "the documentation has examples with jq" test "$count" -gt 1
}

test_folders_and_published_figures_are_inputs_too() {
  mkdir "$folder/runs"
  cp "$results/alpha-cpu.json" "$results/beta-cuda.json" "$folder/runs"
  plot epoch-time runs published:rtx-2070-super
  check "a folder and a publication are drawn" is "$status" 0
  check "the chart has what is in the folder" says epoch-time.svg ">cnn, cuda:0 on beta<"
  check "the chart has the publication" says epoch-time.svg ">dcgan, RTX 2070 Super (published)<"
}

test_nothing_to_draw_is_refused() {
  jq '.cases |= map(select(.status == "ok") | .status = "error")' "$results/alpha-cpu.json" >"$folder/none.json"
  jq '.cases |= map(.dataset = "cifar10")' "$results/beta-cuda.json" >"$folder/strange.json"
  jq '.cases |= map(select(.status == "ok"))' "$folder/strange.json" >"$folder/strange-ok.json"
  refuses 2 "none.json: no case ended well" epoch-time none.json
  refuses 2 "have no case in common" speedup "$results/alpha-cpu.json" strange-ok.json
  refuses 2 "the only device in the files is cpu on alpha" speedup "$results/alpha-cpu.json"
}

test_bad_arguments_are_refused() {
  refuses 2 "no result file is named" epoch-time
  refuses 2 "unknown option '--bad'" epoch-time --bad
  refuses 2 "-o needs a file name" epoch-time "$results/alpha-cpu.json" -o
  refuses 2 "use .svg or .png" epoch-time "$results/alpha-cpu.json" -o chart.pdf
  refuses 2 "cannot be written" epoch-time "$results/alpha-cpu.json" -o "$folder/absent/chart.svg"
  mkdir "$folder/folder.svg"
  refuses 2 "cannot be written" epoch-time "$results/alpha-cpu.json" -o folder.svg
}

# named SENTENCE TEXT COMMAND...: the command exits with 2 and says the text.
named() {
  local sentence=$1 text=$2
  shift 2
  status=0
  "$@" 2>"$folder/stderr" || status=$?
  check "$sentence exits with 2, not $status" is "$status" 2
  check "$sentence is named with the remedy" says stderr "$text"
}

test_a_missing_tool_is_named() {
  local tool path=$folder/without-gnuplot
  mkdir "$path"
  for tool in bash env awk basename dirname uname mktemp cat rm; do ln -s "$(command -v "$tool")" "$path/$tool"; done
  named "a missing gnuplot" "gnuplot is not installed; run: " \
    env PATH="$path" "$root/scripts/plot-epoch-time.sh" "$results/alpha-cpu.json"
  # Beside these scripts nothing was built.
  cp -R "$root/scripts" "$folder/scripts"
  named "a missing gpubench" "gpubench is not built; run: scripts/run.sh" \
    env -u GPUBENCH PATH="$path" "$folder/scripts/plot-epoch-time.sh" "$results/alpha-cpu.json"
  named "a wrong GPUBENCH" "GPUBENCH=/no/such: is no program" \
    env GPUBENCH=/no/such "$root/scripts/plot-epoch-time.sh" "$results/alpha-cpu.json"
}

test_gpubench_is_found_where_it_is_built_or_on_the_path() {
  mkdir -p "$folder/clone/build/release" "$folder/bin"
  cp -R "$root/scripts" "$folder/clone/scripts"
  ln -s "$GPUBENCH" "$folder/bin/gpubench"
  status=0
  env -u GPUBENCH PATH="$folder/bin:$PATH" "$folder/clone/scripts/plot-epoch-time.sh" "$results/alpha-cpu.json" \
    -o "$folder/path.svg" >"$folder/stdout" 2>"$folder/stderr" || status=$?
  check "gpubench on PATH is found" is "$status" 0
  mv "$folder/bin/gpubench" "$folder/clone/build/release/gpubench"
  status=0
  env -u GPUBENCH "$folder/clone/scripts/plot-epoch-time.sh" "$results/alpha-cpu.json" \
    -o "$folder/built.svg" >"$folder/stdout" 2>"$folder/stderr" || status=$?
  check "gpubench beside the scripts is found" is "$status" 0
}

test_help_succeeds() {
  plot epoch-time --help
  check "--help succeeds" is "$status" 0
  check "--help is on stdout" says stdout "usage:"
}

run_tests
