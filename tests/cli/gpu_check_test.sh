#!/usr/bin/env bash
# Tests scripts/gpu-check.sh with small plans on the CPU, and checks the plan for GPUs.
# shellcheck disable=SC2016 # The commands of plans are expanded later.

set -euo pipefail
# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"

export GPUBENCH=${1:?usage: $0 GPUBENCH}

export XDG_CACHE_HOME=$folder/cache

# gpu_check ARGUMENT...: runs $folder/plan unless an argument names another plan; sets `status`.
gpu_check() {
  status=0
  "$root/scripts/gpu-check.sh" --device cpu --plan "$folder/plan" --results "$folder/results" "$@" \
    >"$folder/stdout" 2>"$folder/stderr" || status=$?
}

# plan LINE...: writes a new plan and removes former results.
plan() {
  rm -rf "$folder/results"
  printf '%s\n' "$@" >"$folder/plan"
}

# reports OUTCOME RUN WHAT: succeeds if the report has this line.
reports() { grep -q "^$1  *$2  *.*  $3\$" "$folder/stdout"; }

test_a_run_is_compared_with_its_bounds() {
  plan '# A comment.' '' \
    'run training 5 "$GPUBENCH" --device "$DEVICE" --model mlp --dataset synthetic --max-samples 512 --batch 64,128 --epochs 2 -q -o "$OUT/out.json"' \
    'expect training any =ok /results/*/status' \
    'expect training any 0.. /results/batch_size=64/figures/samples_per_second' \
    'expect training any 2..2 /results/batch_size=64/facts/trained_steps / /results/batch_size=128/facts/trained_steps' \
    'expect training any ~fused /results/0/facts/optimizer'
  gpu_check
  check "a plan that passes exits with 0, not $status" is "$status" 0
  check "the run passes" reports passed training exit
  check "all rows pass" reports passed training '/results/\*/status'
  check "a ratio passes" reports passed training '/results/batch_size=64/facts/trained_steps / /results/batch_size=128/facts/trained_steps'
  check "the report counts the outcomes" says stdout "5 passed, 0 failed, 0 shown, 0 skipped, 0 pending"
}

document='printf "%s\n" "{\"rate\": 5e3, \"rows\": [{\"name\": \"a-b\", \"status\": \"ok\"}, {\"name\": \"c\", \"status\": \"error\"}], \"none\": null}" >"$OUT/out.json"'

test_values_out_of_bounds_fail() {
  plan "run one 1 $document; echo speed 7 W" 'run two 1 echo speed 14' 'run bad 1 exit 5' \
    'expect one any 4900..5100 /rate' 'expect one any 5001.. /rate' 'expect one any ..4e3 /rate' \
    'expect one any =ok /rows/*/status' 'expect one any =ok /rows/name=a-b/status' 'expect one any =ok /rows/name=c/status' \
    'expect one any 0.. /none' 'expect one any 0.. /missing' 'expect two any 2..2 out:speed / one:/rows/0/status' \
    'expect two any 14..14 out:speed' 'expect two any ~7 one:out:speed'
  gpu_check
  check "a plan that fails exits with 1, not $status" is "$status" 1
  check "a value within its bounds passes" says stdout "passed  one              5e3                    4900..5100         /rate"
  check "a value below its bounds fails" says stdout "FAILED  one              5e3                    5001..             /rate"
  check "a value above its bounds fails" says stdout "FAILED  one              5e3                    ..4e3              /rate"
  check "one wrong row of several is reported" says stdout "FAILED  one              error                  =ok                /rows/*/status"
  check "a row is found by its members" reports FAILED one /rows/name=c/status
  check "null is not a number" reports FAILED one /none
  check "a missing value fails" says stdout "FAILED  one              no value               0..                /missing"
  check "division by a text fails" reports FAILED two 'out:speed / one:/rows/0/status'
  check "a value is read from stdout" reports passed two out:speed
  check "a value is read from the stdout of another run" reports passed two one:out:speed
  check "a failed command is a failure" says stdout "FAILED  bad              5                      =0                 exit"
}

test_bounds_are_for_one_gpu() {
  plan 'run one 1 echo speed 7' 'expect one H200 1..2 out:speed' 'expect one any shown out:speed'
  gpu_check
  check "bounds for another GPU are ignored" is "$status" 0
  check "the values are shown" says stdout "1 passed, 0 failed, 2 shown"
}

test_completed_runs_are_not_repeated() {
  plan "run one 1 echo once >>'$folder/runs'"
  gpu_check
  gpu_check
  check "a completed run is not repeated" is "$(count_lines runs)" 1
  echo "run one 1 echo twice >>'$folder/runs'" >"$folder/plan"
  gpu_check --report
  check "a run with a changed command is pending" is "$status" 3
  check "--report runs nothing" is "$(count_lines runs)" 1
  gpu_check
  check "a run with a changed command is repeated" is "$(count_lines runs)" 2
}

test_time_limits() {
  plan 'run slow 0 sleep 600' 'run one 1 echo speed 7' 'expect one any 7..7 out:speed' 'expect slow any 7..7 out:speed'
  gpu_check --minutes 0
  check "without time all runs are pending" says stdout "0 passed, 0 failed, 0 shown, 0 skipped, 2 pending"
  check "pending runs exit with 3, not $status" is "$status" 3
  gpu_check
  check "a run that exceeds its time limit fails" says stdout "FAILED  slow             124"
  check "the next run is executed" reports passed one out:speed
}

test_skipped_runs_have_a_reason() {
  plan 'run one 1 skip "the tool is missing"' 'expect one any 1..2 out:speed'
  gpu_check
  check "a skipped run is not a failure" is "$status" 0
  check "the reason is reported" says stdout "skipped one              the tool is missing"
  check "only the run is counted" says stdout "0 passed, 0 failed, 0 shown, 1 skipped, 0 pending"
}

test_commands_read_values_of_other_runs() {
  plan 'run table 1 printf "model  largest batch   time\nmlp             4096   1 min 05 s\n" | tee "$OUT/table" | cell "largest batch"; cell time <"$OUT/table" | in_seconds' \
    'run next 1 echo batch $(($(value table out:largest-batch) * 3 / 4))' \
    'expect table any 65..65 out:time' 'expect next any 3072..3072 out:batch'
  gpu_check
  check "a cell of a table is a value" reports passed table out:time
  check "another command reads it" reports passed next out:batch
}

test_wrong_usage_is_reported() {
  plan 'ruin one 1 echo'
  gpu_check
  check "an unknown keyword exits with 2, not $status" is "$status" 2
  check "the message names the keyword" says stderr "'ruin': unknown keyword; give run or expect"
  gpu_check --minutes soon
  check "a bad number of minutes is reported" says stderr "--minutes soon: not a whole number"
  gpu_check --plan "$folder/none"
  check "a missing plan is reported" says stderr "--plan $folder/none: cannot be read"
}

# Succeeds for keys of the schema and of `list --json`.
is_known_key() { grep -q "\"$1\"" "$root"/results/schema/*.json || [[ " devices name model " == *" $1 "* ]]; }

test_the_plan_for_gpus_is_consistent() {
  local kind run rest key runs=" " found
  while read -r kind run _ rest; do
    case $kind in
      run)
        check "the name $run is unique" lacks_word "$runs" "$run"
        runs+="$run "
        check "the command of $run is valid bash" bash -nc "$rest"
        ;;
      expect)
        check "$run comes before its expect lines" has_word "$runs" "$run"
        for found in ${rest#* }; do
          case $found in
            out:*) ;;
            [a-z]*:*) check "$found names a run" has_word "$runs" "${found%%:*}" ;;
          esac
          [[ $found == */* && $found != / && $found != */peak_flops_per_second/* && $found != */profile_phase_seconds/* ]] || continue
          key=${found##*/}
          check "$key is a key of result files" is_known_key "$key"
        done
        ;;
    esac
  done <"$root/bench/plans/cuda.plan"
  rm -rf "$folder/results"
  gpu_check --report --plan "$root/bench/plans/cuda.plan"
  check "all runs are pending" is "$status" 3
}

has_word() { [[ $1 == *" $2 "* ]]; }
lacks_word() { ! has_word "$@"; }

test_a_pack_runs_in_another_folder() {
  local torch
  torch=$(tail -n 1 "$root/build/release/gpubench-set-up" 2>/dev/null) || return 0
  plan "run one 1 \"\$GPUBENCH\" --version | sed -n 's/^gpubench/version gpubench/p'" 'expect one any ~0. out:version'
  gpu_check --pack "$folder/pack"
  check "--pack exits with 0, not $status" is "$status" 0
  status=0
  env -u GPUBENCH GPUBENCH_TORCH="$torch" "$folder/pack/scripts/gpu-check.sh" --device cpu --plan "$folder/plan" \
    --results "$folder/results" >"$folder/stdout" 2>"$folder/stderr" || status=$?
  check "the pack exits with 0, not $status" is "$status" 0
  check "the pack runs its own program" reports passed one out:version
  gpu_check --pack "$folder/pack"
  check "a pack is not overwritten" says stderr "already exists"
  if [[ ! -e $torch/lib/libtorch_cuda.so ]]; then
    gpu_check --pack "$folder/other" --device cuda
    check "a CUDA pack of a build without CUDA is rejected" is "$status" 1
    check "the message gives the build command" says stderr "run GPUBENCH_TORCH_FLAVOR=cuda scripts/test.sh first"
  fi
}

run_tests
