#!/usr/bin/env bash
# Tests scripts/ci-gate.sh and the steps of action.yml with a stand-in for gpubench, whose exit codes each test sets. Nothing
# is measured or downloaded.
# shellcheck disable=SC2016 # It is a job's shell that expands, or none.

set -euo pipefail
# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"

action=$root/action.yml
version=$(sed -n 's/^project(gpubench VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")

# It notes its words, each in brackets, and ends with ANSWER_RUN, ANSWER_SHOW or ANSWER_GATE. A run writes the last word.
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

# Paths of this machine, without a gpubench and without what a job that runs this test has for itself.
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

# gate_job NAME=VALUE...: a new job, with these variables.
gate_job() {
  new_job
  gate_again "$@"
}

gate_again() {
  in_job "${job_environment[@]}" PATH="$folder/bin:$PATH" GITHUB_OUTPUT="$folder/outputs" \
    GPUBENCH_SUMMARY="$folder/summary" "$@" bash "$root/scripts/ci-gate.sh"
}

has_line() { grep -qxF -- "$2" "$folder/$1"; }

# ends_with STATUS VERDICT CODE SENTENCE
ends_with() {
  check "$4 ends with $1, not $status" is "$status" "$1"
  check "$4 is said to be $2" has_line outputs "verdict=$2"
  check "$4 has the exit code $3" has_line outputs "exit-code=$3"
  check "the summary of $4 begins with the verdict" is "$(head -n 1 "$folder/summary")" "# gpubench: $2"
  check "the log has the verdict of $4" says stderr "gpubench: $2: "
}

test_every_outcome_has_its_verdict() {
  local judged=GPUBENCH_BASELINE=before.json
  gate_job
  ends_with 0 ok 0 "a good run without a baseline"
  check "nothing is compared without a baseline" lacks calls "[compare]"
  gate_job "$judged"
  ends_with 0 ok 0 "a run that is as fast as before"
  gate_job "$judged" ANSWER_GATE=6
  ends_with 6 regression 6 "a slower run"
  gate_job "$judged" ANSWER_GATE=7
  ends_with 0 inconclusive 7 "a run that does not tell"
  gate_job "$judged" ANSWER_GATE=7 GPUBENCH_INCONCLUSIVE=fail
  ends_with 7 inconclusive 7 "a run that has to tell and does not"
  gate_job "$judged" ANSWER_GATE=8
  ends_with 8 incomparable 8 "a run of other work"
  gate_job "$judged" ANSWER_GATE=3
  ends_with 3 failed 3 "a run with a baseline that is no result"
}

test_cases_that_failed_fail_unless_there_is_worse() {
  local judged=GPUBENCH_BASELINE=before.json
  gate_job ANSWER_RUN=5
  ends_with 5 failed 5 "a run with a failed case"
  gate_job "$judged" ANSWER_RUN=5
  ends_with 5 failed 5 "a run with a case that failed before too"
  gate_job "$judged" ANSWER_RUN=5 ANSWER_GATE=7
  ends_with 5 failed 5 "a run with a failed case that does not tell"
  gate_job "$judged" ANSWER_RUN=5 ANSWER_GATE=6
  ends_with 6 regression 6 "a run with a case that ran before"
}

test_runs_that_end_early_are_told() {
  local code
  for code in 1 2 3 4 130 137; do
    gate_job GPUBENCH_BASELINE=before.json ANSWER_RUN="$code" ANSWER_NOTHING=yes
    ends_with "$code" failed "$code" "a run that ended with $code"
    check "the exit code $code is in the summary" says summary "exit code $code: "
    check "nothing is compared after $code" lacks calls "[compare]"
    check "no result is named after $code" has_line outputs "result="
  done
  gate_job ANSWER_NOTHING=yes
  ends_with 3 failed 3 "a run without a result"
  gate_job ANSWER_RUN=130
  check "what an interrupted run measured is in the summary" says summary "# Table of gpubench-result.json"
}

test_the_summary_has_the_pages() {
  gate_job GPUBENCH_BASELINE=before.json ANSWER_GATE=6
  check "the gate is in it" says summary "# Gate of gpubench-result.json against before.json"
  check "the result is in it" says summary "# Table of gpubench-result.json"
  check "the outputs name the result" has_line outputs "result=gpubench-result.json"
  gate_job ANSWER_SHOW=3
  check "a result that cannot be shown does not hide the verdict" says summary "# gpubench: ok"
  check "that it cannot be shown is said" says summary "gpubench-result.json cannot be shown"
  gate_job ANSWER_LINES=20000
  check "a table that GitHub would drop is left out" is "$(($(wc -c <"$folder/summary") < 1000))" 1
  check "that it was left out is said" says summary "too long to be shown here"
  gate_job GPUBENCH_SUMMARY=
  check "without a file the summary goes to stdout" says stdout "# gpubench: ok"
  gate_job GPUBENCH_SUMMARY= GITHUB_STEP_SUMMARY="$folder/summary"
  check "GitHub's file is the next choice" says summary "# gpubench: ok"
  echo "of an earlier step" >"$folder/summary"
  rm "$folder/job/gpubench-result.json"
  gate_again
  check "what stands in the summary stays" has_line summary "of an earlier step"
}

test_a_missing_baseline_comes_with_its_remedy() {
  gate_job GPUBENCH_BASELINE=none.json
  ends_with 3 failed 3 "a run without the baseline"
  check "it takes one line" is "$(grep -c baseline "$folder/stderr")" 1
  check "the remedy is in it" says stderr \
    "there is no none.json; keep gpubench-result.json of a good run on this kind of machine under that name"
  check "the result is there to be kept" has_line outputs "result=gpubench-result.json"
  gate_job GPUBENCH_BASELINE=none.json ANSWER_RUN=5
  ends_with 5 failed 5 "a run with a failed case and no baseline"
  check "a failed run is not to become the baseline" lacks stderr "keep gpubench-result.json"
  gate_job GPUBENCH_BASELINE=published:some
  check "published figures need no file" says calls "[compare][published:some]"
  gate_job GPUBENCH_BASELINE=history
  check "nor do earlier runs" says calls "[compare][gpubench-result.json][--baseline][history][--gate]"
}

test_what_gpubench_is_called_with() {
  gate_job GPUBENCH_BASELINE=before.json
  check "the suite is run" has_line calls "[suite][smoke][--device][cpu][--repeat][5][-o][gpubench-result.json]"
  check "it is compared" has_line calls "[compare][before.json][gpubench-result.json][--gate][5%][--format][md]"
  gate_job GPUBENCH_SUITE='my suite.json' GPUBENCH_DEVICE=cuda:1 GPUBENCH_REPEAT=3 GPUBENCH_OUTPUT='an output.json' \
    GPUBENCH_BASELINE=before.json GPUBENCH_GATE=10%
  check "all may be chosen" has_line calls "[suite][my suite.json][--device][cuda:1][--repeat][3][-o][an output.json]"
  check "the threshold too" has_line calls "[compare][before.json][an output.json][--gate][10%][--format][md]"
  gate_job GPUBENCH_ARGUMENTS=$'ops --op matmul\n  --dtype *' GPUBENCH_SUITE=s0
  check "arguments stand for all of that, and are split at blanks alone" \
    has_line calls "[ops][--op][matmul][--dtype][*][-o][gpubench-result.json]"
}

test_inputs_are_never_run() {
  local nasty='$(touch bad) `touch bad`; touch bad' name
  for name in SUITE DEVICE REPEAT ARGUMENTS BASELINE GATE INCONCLUSIVE OUTPUT; do
    gate_job GPUBENCH_BASELINE=before.json "GPUBENCH_$name=$nasty"
    check "$name is not run" test ! -e "$folder/job/bad"
    [[ $name == ARGUMENTS || $name == INCONCLUSIVE ]] && continue
    gate_job "GPUBENCH_$name="$'a\nverdict=ok'
    ends_with 2 failed 2 "a line break in $name"
    check "the outputs have no line of $name" is "$(lines_of outputs)" 3
    check "gpubench is not called" is "$(lines_of calls)" 0
  done
}

test_what_cannot_go_well_is_said_first() {
  new_job
  echo mine >"$folder/job/gpubench-result.json"
  gate_again
  ends_with 2 failed 2 "an output that is there"
  check "it is left as it is" is "$(cat "$folder/job/gpubench-result.json")" mine
  check "it is not taken for the result" has_line outputs "result="
  check "gpubench is not called" is "$(lines_of calls)" 0
  gate_job GPUBENCH_INCONCLUSIVE=maybe
  ends_with 2 failed 2 "an unknown word"
  check "the words there are are named" says stderr "inconclusive: is neither warn nor fail"
  gate_job PATH="$(path_without_gpubench)"
  ends_with 2 failed 2 "a machine without gpubench"
  check "that is the reason" says stderr "gpubench is not on PATH"
  in_job bash "$root/scripts/ci-gate.sh" remove
  check "an unknown word ends it" is "$status" 2
}

# The programs that the script needs, and no others.
path_without_gpubench() {
  local tool
  mkdir -p "$folder/tools"
  for tool in bash cat mktemp rm wc; do ln -sf "$(command -v "$tool")" "$folder/tools/$tool"; done
  echo "$folder/tools"
}

test_annotations_are_one_escaped_line() {
  gate_job GITHUB_ACTIONS=true GPUBENCH_BASELINE='5%0A.json'
  check "what fails is an error, with its percent sign escaped" says stdout \
    "::error title=gpubench failed::baseline: there is no 5%250A.json;"
  check "there is one" is "$(grep -c '^::' "$folder/stdout")" 1
  gate_job GITHUB_ACTIONS=true GPUBENCH_BASELINE=before.json ANSWER_GATE=7
  check "what does not tell is a warning" says stdout "::warning title=gpubench inconclusive::"
  gate_job GITHUB_ACTIONS=true GPUBENCH_BASELINE=before.json ANSWER_GATE=7 GPUBENCH_INCONCLUSIVE=fail
  check "or an error" says stdout "::error title=gpubench inconclusive::"
  gate_job GITHUB_ACTIONS=true
  check "a good run has none" lacks stdout "::"
  gate_job ANSWER_RUN=5
  check "there are none elsewhere" lacks stdout "::"
  check "line breaks are escaped" is "$(unescaped_function)" "a%0Db%0Ac%25"
}

# The script's own function, with what cannot come through its inputs.
unescaped_function() {
  bash -c "$(sed -n '/^escaped() {/,/^}/p' "$root/scripts/ci-gate.sh")"$'\nescaped $\'a\\rb\\nc%\''
}

# --- Installing

# install_job NAME=VALUE...: a copy of the script beside an install.sh that notes its words and puts the stand-in there.
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

test_the_release_is_installed() {
  local where="[--prefix][$folder/job/gpubench]"
  install_job GPUBENCH_VERSION=1.2.3 GPUBENCH_ACTION_REPOSITORY=some/fork GITHUB_REPOSITORY=user/project
  check "installing ends well" is "$status" 0
  check "the releases are those of the action's repository" installed_with \
    "[--device][cpu]${where}[--from][https://github.com/some/fork/releases/download][--version][1.2.3]"
  check "later steps find it" has_line path "$folder/job/gpubench/bin"
  check "there is no summary yet" is "$(lines_of summary)" 0
  install_job GITHUB_REPOSITORY=user/project
  check "an action of the repository itself has its releases" installed_with \
    "[--device][cpu]${where}[--from][https://github.com/user/project/releases/download]"
  install_job GPUBENCH_RELEASES=/some/mirror GPUBENCH_ACTION_REPOSITORY=some/fork GPUBENCH_DEVICE=cuda:1
  check "a mirror is taken, and CUDA is installed for cuda:1" installed_with "[--device][cuda]${where}[--from][/some/mirror]"
  check "LibTorch is fetched" has_line calls "[setup][--device][cuda]"
  install_job ANSWER_INSTALL=4
  ends_with 4 failed 4 "an installation that failed"
  install_job RUNNER_TEMP=
  ends_with 2 failed 2 "an installation into no folder"
}

# --- The action

# section NAME FILE: the lines below a key at the beginning of a line.
section() { awk -v name="$1:" '/^[a-z]/ { found = $0 == name; next } found' "$2"; }

inputs_of_action() { section inputs "$action" | sed -n 's/^  \([a-z-]*\):$/\1/p'; }

outputs_of_action() { section outputs "$action" | sed -n 's/^  \([a-z-]*\):$/\1/p'; }

default_of() {
  section inputs "$action" | awk -v name="  $1:" '/^  [a-z]/ { found = $0 == name } found && sub(/^    default: /, "")' |
    sed 's/^"\(.*\)"$/\1/'
}

# step ID: the lines of a step.
step() {
  section runs "$action" | awk -v id="      id: $1" '/^    - / { lines = ""; found = 0 } { lines = lines $0 "\n" }
    $0 == id { found = 1 } found { printf "%s", lines; lines = "" }'
}

variables_of() { step "$1" | sed -n 's/^        \([A-Z_]*\): \(.*\)/\1 \2/p'; }

test_the_action_and_the_script_agree() {
  local script=$root/scripts/ci-gate.sh used name
  check "it installs this version" is "$(default_of version)" "$version"
  check "users are told to take it" is "$(grep -o 'gpubench@v[0-9.]*' "$root/docs/ci.md" | sort -u)" "gpubench@v$version"
  used=$(sed -n 's/^        GPUBENCH_[A-Z]*: ${{ inputs\.\([a-z-]*\) }}$/\1/p' "$action" | sort -u)
  check "each input reaches the script, and no other does" is "$(inputs_of_action | sort)" "$used"
  check "each input has a default" is "$(section inputs "$action" | grep -c '^    default: ')" "$(inputs_of_action | grep -c .)"
  check "each variable of the script is set by the action, but for two of other places" is \
    "$(grep -o '\${GPUBENCH_[A-Z_]*' "$script" | tr -d '${' | sort -u | grep -vx -e GPUBENCH_SUMMARY -e GPUBENCH_PREFIX)" \
    "$({ variables_of install && variables_of gate; } | cut -d ' ' -f 1 | sort -u)"
  check "the script writes each output" is "$(outputs_of_action | sort)" \
    "$(grep -o '"[a-z-]*=\$' "$script" | tr -d '"=$' | sort)"
  for name in $(outputs_of_action); do
    check "the output $name is the step's" grep -qF "value: \${{ steps.gate.outputs.$name " "$action"
  done
  check "no expression is part of a command" is "$(grep -c 'run:.*\${{' "$action" || true)" 0
  check "commands take one line" is "$(grep -c '^ *run: [^|>]' "$action")" "$(grep -c 'run:' "$action")"
  sed 's/^  result=/  output=/' "$script" >"$folder/defaults"
  for name in $(variables_of gate | sed -n 's/^\(GPUBENCH_[A-Z]*\) .*/\1/p'); do
    used=$(variables_of gate | sed -n "s/^$name \${{ inputs\.\([a-z-]*\) }}\$/\1/p")
    check "the default of $used is that of the script" grep -qxF "  $used=\${$name:-$(default_of "$used")}" "$folder/defaults"
  done
}

run_tests
