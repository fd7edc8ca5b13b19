#!/usr/bin/env bash
# Tests of scripts/gpu-check.sh with small plans on the CPU, and of the plan for GPUs.
# shellcheck disable=SC2016 # what stands in plans is for the shell that runs it

set -euo pipefail
# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"

export GPUBENCH=${1:?usage: $0 GPUBENCH}

export XDG_CACHE_HOME=$folder/cache

# gpu_check ARGUMENT...: sets `status`. The plan is $folder/plan, unless an argument names another.
gpu_check() {
  status=0
  "$root/scripts/gpu-check.sh" --device cpu --plan "$folder/plan" --results "$folder/results" "$@" \
    >"$folder/stdout" 2>"$folder/stderr" || status=$?
}

# plan LINE...: a plan of its own, and nothing done of it.
plan() {
  rm -rf "$folder/results"
  printf '%s\n' "$@" >"$folder/plan"
}

# reports WORD RUN WHAT: the report has such a line.
reports() { grep -q "^$1  *$2  *.*  $3\$" "$folder/stdout"; }

test_a_training_is_held_against_its_bounds() {
  plan '# A comment.' '' \
    'run training 5 "$GPUBENCH" --device "$DEVICE" --model mlp --dataset synthetic --max-samples 512 --batch 64,128 --epochs 2 -q -o "$OUT/out.json"' \
    'expect training any =ok /results/*/status' \
    'expect training any 0.. /results/batch_size=64/figures/samples_per_second' \
    'expect training any 2..2 /results/batch_size=64/facts/trained_steps / /results/batch_size=128/facts/trained_steps' \
    'expect training any ~fused /results/0/facts/optimizer'
  gpu_check
  check "a plan that passes ends with 0, not $status" is "$status" 0
  check "the run has passed" reports passed training exit
  check "all rows have passed" reports passed training '/results/\*/status'
  check "so has a ratio" reports passed training '/results/batch_size=64/facts/trained_steps / /results/batch_size=128/facts/trained_steps'
  check "the report counts" says stdout "5 passed, 0 failed, 0 told, 0 cannot be checked, 0 left to run"
}

document='printf "%s\n" "{\"rate\": 5e3, \"rows\": [{\"name\": \"a-b\", \"status\": \"ok\"}, {\"name\": \"c\", \"status\": \"error\"}], \"none\": null}" >"$OUT/out.json"'

test_what_is_out_of_bounds_fails() {
  plan "run one 1 $document; echo speed 7 W" 'run two 1 echo speed 14' 'run bad 1 exit 5' \
    'expect one any 4900..5100 /rate' 'expect one any 5001.. /rate' 'expect one any ..4e3 /rate' \
    'expect one any =ok /rows/*/status' 'expect one any =ok /rows/name=a-b/status' 'expect one any =ok /rows/name=c/status' \
    'expect one any 0.. /none' 'expect one any 0.. /missing' 'expect two any 2..2 out:speed / one:/rows/0/status' \
    'expect two any 14..14 out:speed' 'expect two any ~7 one:out:speed'
  gpu_check
  check "a plan that fails ends with 1, not $status" is "$status" 1
  check "what is between passes" says stdout "passed  one              5e3                    4900..5100         /rate"
  check "what is below fails" says stdout "FAILED  one              5e3                    5001..             /rate"
  check "what is above fails" says stdout "FAILED  one              5e3                    ..4e3              /rate"
  check "one wrong row of several fails" says stdout "FAILED  one              error                  =ok                /rows/*/status"
  check "a row is found by its members" reports FAILED one /rows/name=c/status
  check "null is no number" reports FAILED one /none
  check "what is missing fails" says stdout "FAILED  one              no value               0..                /missing"
  check "a text divides nothing" reports FAILED two 'out:speed / one:/rows/0/status'
  check "a word of stdout has a value" reports passed two out:speed
  check "that of another run, too" reports passed two one:out:speed
  check "a command that fails is a failure" says stdout "FAILED  bad              5                      =0                 exit"
}

test_bounds_are_for_one_gpu() {
  plan 'run one 1 echo speed 7' 'expect one H200 1..2 out:speed' 'expect one any told out:speed'
  gpu_check
  check "another GPU's bounds decide nothing" is "$status" 0
  check "the figure is told" says stdout "1 passed, 0 failed, 2 told"
}

test_what_is_done_is_not_run_again() {
  plan "run one 1 echo once >>'$folder/runs'"
  gpu_check
  gpu_check
  check "a run that is done is done" is "$(lines_of runs)" 1
  echo "run one 1 echo twice >>'$folder/runs'" >"$folder/plan"
  gpu_check --report
  check "a run whose command is another one is left" is "$status" 3
  check "a report runs nothing" is "$(lines_of runs)" 1
  gpu_check
  check "it is run" is "$(lines_of runs)" 2
}

test_there_is_an_end() {
  plan 'run slow 0 sleep 600' 'run one 1 echo speed 7' 'expect one any 7..7 out:speed' 'expect slow any 7..7 out:speed'
  gpu_check --minutes 0
  check "without time everything is left" says stdout "0 passed, 0 failed, 0 told, 0 cannot be checked, 2 left to run"
  check "that is neither good nor bad" is "$status" 3
  gpu_check
  check "what takes longer than it may has failed" says stdout "FAILED  slow             124"
  check "the next one is run" reports passed one out:speed
}

test_what_cannot_be_run_says_why() {
  plan 'run one 1 skip "there is no such tool"' 'expect one any 1..2 out:speed'
  gpu_check
  check "it is no failure" is "$status" 0
  check "the reason is told" says stdout "cannot  one              there is no such tool"
  check "and nothing else" says stdout "0 passed, 0 failed, 0 told, 1 cannot be checked, 0 left to run"
}

test_commands_read_what_others_found() {
  plan 'run table 1 printf "model  largest batch   time\nmlp             4096   1 min 05 s\n" | tee "$OUT/table" | cell "largest batch"; cell time <"$OUT/table" | in_seconds' \
    'run next 1 echo batch $(($(value table out:largest-batch) * 3 / 4))' \
    'expect table any 65..65 out:time' 'expect next any 3072..3072 out:batch'
  gpu_check
  check "a cell of a table is a value" reports passed table out:time
  check "another command takes it" reports passed next out:batch
}

test_mistakes_are_named() {
  plan 'ruin one 1 echo'
  gpu_check
  check "a word that is no kind ends with 2, not $status" is "$status" 2
  check "it is named" says stderr "'ruin' is neither run nor expect"
  gpu_check --minutes soon
  check "a bad number of minutes is named" says stderr "--minutes soon is no whole number"
  gpu_check --plan "$folder/none"
  check "a missing plan is named" says stderr "cannot be read"
}

# Keys of documents, of the ones that are committed and of `list --json`.
is_known_key() { grep -q "\"$1\"" "$root"/results/schema/*.json || [[ " devices name model " == *" $1 "* ]]; }

test_the_plan_for_gpus_is_whole() {
  local kind run rest key runs=" " found
  while read -r kind run _ rest; do
    case $kind in
      run)
        check "$run comes once" lacks_word "$runs" "$run"
        runs+="$run "
        check "$run is bash" bash -nc "$rest"
        ;;
      expect)
        check "$run is run before it is judged" has_word "$runs" "$run"
        for found in ${rest#* }; do
          case $found in
            out:*) ;;
            [a-z]*:*) check "$found is of a run" has_word "$runs" "${found%%:*}" ;;
          esac
          [[ $found == */* && $found != / && $found != */peak_flops_per_second/* && $found != */profile_phase_seconds/* ]] || continue
          key=${found##*/}
          check "$key is in documents" is_known_key "$key"
        done
        ;;
    esac
  done <"$root/bench/plans/cuda.plan"
  rm -rf "$folder/results"
  gpu_check --report --plan "$root/bench/plans/cuda.plan"
  check "nothing of it is done" is "$status" 3
}

has_word() { [[ $1 == *" $2 "* ]]; }
lacks_word() { ! has_word "$@"; }

test_a_pack_runs_elsewhere() {
  local torch
  torch=$(tail -n 1 "$root/build/release/gpubench-set-up" 2>/dev/null) || return 0
  plan "run one 1 \"\$GPUBENCH\" --version | sed -n 's/^gpubench/version gpubench/p'" 'expect one any ~0. out:version'
  gpu_check --pack "$folder/pack"
  check "a pack is made, not $status" is "$status" 0
  status=0
  env -u GPUBENCH GPUBENCH_TORCH="$torch" "$folder/pack/scripts/gpu-check.sh" --device cpu --plan "$folder/plan" \
    --results "$folder/results" >"$folder/stdout" 2>"$folder/stderr" || status=$?
  check "it runs from there, not $status" is "$status" 0
  check "what it runs is of the pack" reports passed one out:version
  gpu_check --pack "$folder/pack"
  check "a pack is not written over" says stderr "is there already"
  if [[ ! -e $torch/lib/libtorch_cuda.so ]]; then
    gpu_check --pack "$folder/other" --device cuda
    check "a pack for CUDA of what was built without is refused" is "$status" 1
    check "what to build is said" says stderr "run GPUBENCH_TORCH_FLAVOR=cuda scripts/test.sh first"
  fi
}

run_tests
