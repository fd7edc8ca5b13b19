#!/usr/bin/env bash
# Tests scripts/ci-gate.sh and the steps of action.yml with a fake gpubench whose exit codes each
# test sets. Measures and downloads nothing.
# shellcheck disable=SC2016 # The shell of the job expands these, or none.

set -euo pipefail
# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"

action=$root/action.yml
version=$(sed -n 's/^project(gpubench VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")

# The fake logs its arguments in brackets and exits with ANSWER_RUN, ANSWER_SHOW or ANSWER_GATE. A
# run writes the file that its last argument names.
mkdir "$folder/bin"
cat >"$folder/bin/gpubench" <<'END'
#!/usr/bin/env bash
printf '[%s]' "$@" >>"$STAND_IN/calls"
echo >>"$STAND_IN/calls"
case $1 in
  --version) echo "gpubench of a test" ;;
  setup) ;;
  show)
    echo "# Table of $2"
    [[ -z ${ANSWER_LINES:-} ]] || yes "a long line of a table that has many of them" | head -n "$ANSWER_LINES"
    exit "${ANSWER_SHOW:-0}"
    ;;
  compare)
    echo "# Gate of $3 against $2"
    exit "${ANSWER_GATE:-0}"
    ;;
  *)
    [[ -n ${ANSWER_NOTHING:-} ]] || echo '{}' >"${!#}"
    exit "${ANSWER_RUN:-0}"
    ;;
esac
END
chmod +x "$folder/bin/gpubench"

# A clean environment, without variables of a CI job that runs this test.
job_environment=(env -i PATH="$PATH" HOME="$folder" TMPDIR="$folder" STAND_IN="$folder")

new_job() {
  rm -rf "$folder/job" "$folder/calls" "$folder/summary" "$folder/outputs"
  mkdir "$folder/job"
  touch "$folder/calls" "$folder/summary" "$folder/outputs"
  echo '{}' >"$folder/job/before.json"
}

# in_job COMMAND...: sets `status`.
in_job() {
  status=0
  (cd "$folder/job" && "$@") >"$folder/stdout" 2>"$folder/stderr" || status=$?
}

# gate_job NAME=VALUE...: runs the script in a new job with these variables.
gate_job() {
  new_job
  gate_again "$@"
}

gate_again() {
  in_job "${job_environment[@]}" PATH="$folder/bin:$PATH" GITHUB_OUTPUT="$folder/outputs" \
    GPUBENCH_SUMMARY="$folder/summary" "$@" bash "$root/scripts/ci-gate.sh"
}

has_line() { grep -qxF -- "$2" "$folder/$1"; }

# ends_with STATUS VERDICT CODE CASE
ends_with() {
  check "$4: exits with $1, not $status" is "$status" "$1"
  check "$4: has the verdict $2" has_line outputs "verdict=$2"
  check "$4: outputs the exit code $3" has_line outputs "exit-code=$3"
  check "$4: the summary begins with the verdict" is "$(head -n 1 "$folder/summary")" "# gpubench: $2"
  check "$4: the log has the verdict" says stderr "gpubench: $2: "
}

test_every_outcome_has_its_verdict() {
  local judged=GPUBENCH_BASELINE=before.json
  gate_job
  ends_with 0 ok 0 "a successful run without a baseline"
  check "nothing is compared without a baseline" lacks calls "[compare]"
  gate_job "$judged"
  ends_with 0 ok 0 "a run that is as fast as before"
  gate_job "$judged" ANSWER_GATE=6
  ends_with 6 regression 6 "a slower run"
  gate_job "$judged" ANSWER_GATE=7
  ends_with 0 inconclusive 7 "an inconclusive run"
  gate_job "$judged" ANSWER_GATE=7 GPUBENCH_INCONCLUSIVE=fail
  ends_with 7 inconclusive 7 "an inconclusive run with inconclusive=fail"
  gate_job "$judged" ANSWER_GATE=8
  ends_with 8 incomparable 8 "a run of different work"
  gate_job "$judged" ANSWER_GATE=3
  ends_with 3 failed 3 "a run with an invalid baseline"
}

test_failed_cases_fail_the_job() {
  local judged=GPUBENCH_BASELINE=before.json
  gate_job ANSWER_RUN=5
  ends_with 5 failed 5 "a run with a failed case"
  gate_job "$judged" ANSWER_RUN=5
  ends_with 5 failed 5 "a run with a case that also failed in the baseline"
  gate_job "$judged" ANSWER_RUN=5 ANSWER_GATE=7
  ends_with 5 failed 5 "an inconclusive run with a failed case"
  gate_job "$judged" ANSWER_RUN=5 ANSWER_GATE=6
  ends_with 6 regression 6 "a run with a failed case that ran in the baseline"
}

test_failed_runs_are_reported() {
  local code
  for code in 1 2 3 4 130 137; do
    gate_job GPUBENCH_BASELINE=before.json ANSWER_RUN="$code" ANSWER_NOTHING=yes
    ends_with "$code" failed "$code" "a run that exits with $code"
    check "the exit code $code is in the summary" says summary "gpubench exited with $code: "
    check "nothing is compared after exit code $code" lacks calls "[compare]"
    check "the result output is empty after exit code $code" has_line outputs "result="
  done
  gate_job ANSWER_NOTHING=yes
  ends_with 3 failed 3 "a run without a result"
  gate_job ANSWER_RUN=130
  check "the results of an interrupted run are in the summary" says summary "# Table of gpubench-result.json"
}

test_the_summary_has_the_tables() {
  gate_job GPUBENCH_BASELINE=before.json ANSWER_GATE=6
  check "the summary has the comparison" says summary "# Gate of gpubench-result.json against before.json"
  check "the summary has the result" says summary "# Table of gpubench-result.json"
  check "the outputs name the result" has_line outputs "result=gpubench-result.json"
  gate_job ANSWER_SHOW=3
  check "a result that cannot be shown does not hide the verdict" says summary "# gpubench: ok"
  check "the summary reports that the result cannot be shown" says summary "gpubench-result.json cannot be shown"
  gate_job ANSWER_LINES=20000
  check "a table that GitHub would drop is omitted" is "$(($(wc -c <"$folder/summary") < 1000))" 1
  check "the summary reports the omission" says summary "too long for this summary"
  gate_job GPUBENCH_SUMMARY=
  check "without a file, the summary goes to stdout" says stdout "# gpubench: ok"
  gate_job GPUBENCH_SUMMARY= GITHUB_STEP_SUMMARY="$folder/summary"
  check "GITHUB_STEP_SUMMARY is the second choice" says summary "# gpubench: ok"
  echo "of an earlier step" >"$folder/summary"
  rm "$folder/job/gpubench-result.json"
  gate_again
  check "the summary of an earlier step is kept" has_line summary "of an earlier step"
}

test_a_missing_baseline_is_reported_with_a_remedy() {
  gate_job GPUBENCH_BASELINE=none.json
  ends_with 3 failed 3 "a missing baseline"
  check "the message is one line" is "$(grep -c baseline "$folder/stderr")" 1
  check "the message has the remedy" says stderr \
    "none.json is missing; save gpubench-result.json of a good run on this kind of machine under that name"
  check "the result is available for the remedy" has_line outputs "result=gpubench-result.json"
  gate_job GPUBENCH_BASELINE=none.json ANSWER_RUN=5
  ends_with 5 failed 5 "a run with a failed case and a missing baseline"
  check "a failed run is not suggested as a baseline" lacks stderr "save gpubench-result.json"
  gate_job GPUBENCH_BASELINE=published:some
  check "published figures need no file" says calls "[compare][published:some]"
  gate_job GPUBENCH_BASELINE=history
  check "the history needs no file" says calls "[compare][gpubench-result.json][--baseline][history][--gate]"
}

test_arguments_of_gpubench() {
  gate_job GPUBENCH_BASELINE=before.json
  check "the suite is run" has_line calls "[suite][smoke][--device][cpu][--repeat][5][-o][gpubench-result.json]"
  check "the result is compared" has_line calls "[compare][before.json][gpubench-result.json][--gate][5%][--format][md]"
  gate_job GPUBENCH_SUITE='my suite.json' GPUBENCH_DEVICE=cuda:1 GPUBENCH_REPEAT=3 GPUBENCH_OUTPUT='an output.json' \
    GPUBENCH_BASELINE=before.json GPUBENCH_GATE=10%
  check "all inputs are passed to the run" has_line calls "[suite][my suite.json][--device][cuda:1][--repeat][3][-o][an output.json]"
  check "all inputs are passed to the comparison" has_line calls "[compare][before.json][an output.json][--gate][10%][--format][md]"
  gate_job GPUBENCH_ARGUMENTS=$'ops --op matmul\n  --dtype *' GPUBENCH_SUITE=s0
  check "arguments replace suite, device and repeat, and are split at blanks only" \
    has_line calls "[ops][--op][matmul][--dtype][*][-o][gpubench-result.json]"
}

test_inputs_are_never_executed() {
  local nasty='$(touch bad) `touch bad`; touch bad' name
  for name in SUITE DEVICE REPEAT ARGUMENTS BASELINE GATE INCONCLUSIVE OUTPUT; do
    gate_job GPUBENCH_BASELINE=before.json "GPUBENCH_$name=$nasty"
    check "$name is not executed" test ! -e "$folder/job/bad"
    [[ $name == ARGUMENTS || $name == INCONCLUSIVE ]] && continue
    gate_job "GPUBENCH_$name="$'a\nverdict=ok'
    ends_with 2 failed 2 "a line break in $name"
    check "the line break in $name does not add an output" is "$(count_lines outputs)" 3
    check "gpubench is not called" is "$(count_lines calls)" 0
  done
}

test_wrong_inputs_are_reported_before_the_run() {
  new_job
  echo mine >"$folder/job/gpubench-result.json"
  gate_again
  ends_with 2 failed 2 "an existing output file"
  check "the existing file is kept" is "$(cat "$folder/job/gpubench-result.json")" mine
  check "the existing file is not reported as the result" has_line outputs "result="
  check "gpubench is not called" is "$(count_lines calls)" 0
  gate_job GPUBENCH_INCONCLUSIVE=maybe
  ends_with 2 failed 2 "an unknown value of inconclusive"
  check "the message lists the values" says stderr "inconclusive: unknown value; give warn or fail"
  gate_job PATH="$(path_without_gpubench)"
  ends_with 2 failed 2 "a machine without gpubench"
  check "the message names the reason" says stderr "gpubench is not on PATH"
  in_job bash "$root/scripts/ci-gate.sh" remove
  check "an unknown argument exits with 2" is "$status" 2
}

# Prints a PATH with the programs that the script needs only.
path_without_gpubench() {
  local tool
  mkdir -p "$folder/tools"
  for tool in bash cat mktemp rm wc; do ln -sf "$(command -v "$tool")" "$folder/tools/$tool"; done
  echo "$folder/tools"
}

test_annotations_are_one_escaped_line() {
  gate_job GITHUB_ACTIONS=true GPUBENCH_BASELINE='5%0A.json'
  check "a failure is an error, with its percent sign escaped" says stdout \
    "::error title=gpubench failed::baseline: 5%250A.json is missing;"
  check "there is one annotation" is "$(grep -c '^::' "$folder/stdout")" 1
  gate_job GITHUB_ACTIONS=true GPUBENCH_BASELINE=before.json ANSWER_GATE=7
  check "an inconclusive run is a warning" says stdout "::warning title=gpubench inconclusive::"
  gate_job GITHUB_ACTIONS=true GPUBENCH_BASELINE=before.json ANSWER_GATE=7 GPUBENCH_INCONCLUSIVE=fail
  check "an inconclusive run with inconclusive=fail is an error" says stdout "::error title=gpubench inconclusive::"
  gate_job GITHUB_ACTIONS=true
  check "a successful run has no annotation" lacks stdout "::"
  gate_job ANSWER_RUN=5
  check "outside GitHub, the script prints no annotation" lacks stdout "::"
  check "line breaks are escaped" is "$(unescaped_function)" "a%0Db%0Ac%25"
}

# Calls the script's function with characters that its inputs cannot contain.
unescaped_function() {
  bash -c "$(sed -n '/^escaped() {/,/^}/p' "$root/scripts/ci-gate.sh")"$'\nescaped $\'a\\rb\\nc%\''
}

# --- Installing

# install_job NAME=VALUE...: runs a copy of the script beside a fake install.sh that logs its
# arguments and installs the fake.
install_job() {
  new_job
  mkdir -p "$folder/copy"
  cp "$root/scripts/ci-gate.sh" "$folder/copy/"
  printf '%s\n' 'printf "[%s]" "$@" >"$STAND_IN/installed"' 'mkdir -p "$4/bin"' 'cp "$STAND_IN/bin/gpubench" "$4/bin/"' \
    'exit "${ANSWER_INSTALL:-0}"' >"$folder/copy/install.sh"
  : >"$folder/path"
  in_job "${job_environment[@]}" GITHUB_OUTPUT="$folder/outputs" GITHUB_PATH="$folder/path" GPUBENCH_SUMMARY="$folder/summary" \
    RUNNER_TEMP="$folder/job" "$@" bash "$folder/copy/ci-gate.sh" install
}

installed_with() { is "$(cat "$folder/installed")" "$1"; }

test_a_release_is_installed() {
  local where="[--prefix][$folder/job/gpubench]"
  install_job GPUBENCH_VERSION=1.2.3 GPUBENCH_ACTION_REPOSITORY=some/fork GITHUB_REPOSITORY=user/project
  check "installing succeeds" is "$status" 0
  check "releases come from the repository of the action" installed_with \
    "[--device][cpu]${where}[--from][https://github.com/some/fork/releases/download][--version][1.2.3]"
  check "later steps find gpubench" has_line path "$folder/job/gpubench/bin"
  check "the installation writes no summary" is "$(count_lines summary)" 0
  install_job GITHUB_REPOSITORY=user/project
  check "an action of the same repository uses its releases" installed_with \
    "[--device][cpu]${where}[--from][https://github.com/user/project/releases/download]"
  install_job GPUBENCH_RELEASES=/some/mirror GPUBENCH_ACTION_REPOSITORY=some/fork GPUBENCH_DEVICE=cuda:1
  check "a mirror is used, and CUDA is installed for cuda:1" installed_with "[--device][cuda]${where}[--from][/some/mirror]"
  check "LibTorch is fetched" has_line calls "[setup][--device][cuda]"
  install_job ANSWER_INSTALL=4
  ends_with 4 failed 4 "a failed installation"
  install_job RUNNER_TEMP=
  ends_with 2 failed 2 "an installation without a folder"
}

# --- The action

# section NAME FILE: prints the lines below a top-level key.
section() { awk -v name="$1:" '/^[a-z]/ { found = $0 == name; next } found' "$2"; }

inputs_of_action() { section inputs "$action" | sed -n 's/^  \([a-z-]*\):$/\1/p'; }

outputs_of_action() { section outputs "$action" | sed -n 's/^  \([a-z-]*\):$/\1/p'; }

input_default() {
  section inputs "$action" | awk -v name="  $1:" '/^  [a-z]/ { found = $0 == name } found && sub(/^    default: /, "")' |
    sed 's/^"\(.*\)"$/\1/'
}

# step ID: prints the lines of a step.
step() {
  section runs "$action" | awk -v id="      id: $1" '/^    - / { lines = ""; found = 0 } { lines = lines $0 "\n" }
    $0 == id { found = 1 } found { printf "%s", lines; lines = "" }'
}

step_variables() { step "$1" | sed -n 's/^        \([A-Z_]*\): \(.*\)/\1 \2/p'; }

test_the_action_and_the_script_agree() {
  local script=$root/scripts/ci-gate.sh used name
  check "the action installs this version" is "$(input_default version)" "$version"
  check "the documentation names this version" is \
    "$(grep -o 'gpubench@v[0-9.]*' "$root/docs/ab-and-ci.md" | sort -u)" "gpubench@v$version"
  used=$(sed -n 's/^        GPUBENCH_[A-Z]*: ${{ inputs\.\([a-z-]*\) }}$/\1/p' "$action" | sort -u)
  check "exactly the declared inputs reach the script" is "$(inputs_of_action | sort)" "$used"
  check "each input has a default" is "$(section inputs "$action" | grep -c '^    default: ')" "$(inputs_of_action | grep -c .)"
  check "the action sets each variable of the script, except the two for other services" is \
    "$(grep -o '\${GPUBENCH_[A-Z_]*' "$script" | tr -d '${' | sort -u | grep -vx -e GPUBENCH_SUMMARY -e GPUBENCH_PREFIX)" \
    "$({ step_variables install && step_variables gate; } | cut -d ' ' -f 1 | sort -u)"
  check "the script writes each output" is "$(outputs_of_action | sort)" \
    "$(grep -o '"[a-z-]*=\$' "$script" | tr -d '"=$' | sort)"
  for name in $(outputs_of_action); do
    check "the output $name comes from the step" grep -qF "value: \${{ steps.gate.outputs.$name " "$action"
  done
  check "no expression is part of a command" is "$(grep -c 'run:.*\${{' "$action" || true)" 0
  check "commands are single lines" is "$(grep -c '^ *run: [^|>]' "$action")" "$(grep -c 'run:' "$action")"
  sed 's/^  result=/  output=/' "$script" >"$folder/defaults"
  for name in $(step_variables gate | sed -n 's/^\(GPUBENCH_[A-Z]*\) .*/\1/p'); do
    used=$(step_variables gate | sed -n "s/^$name \${{ inputs\.\([a-z-]*\) }}\$/\1/p")
    check "the default of $used is the same in the script" grep -qxF "  $used=\${$name:-$(input_default "$used")}" "$folder/defaults"
  done
}

run_tests
