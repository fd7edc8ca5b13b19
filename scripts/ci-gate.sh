#!/usr/bin/env bash
# Performance gate for CI jobs: runs gpubench, compares the result with a baseline, writes a summary
# in Markdown, and exits with the verdict. The GitHub Action (action.yml) calls it; jobs on other
# services may too. For users, see docs/ab-and-ci.md.
#
# usage: ci-gate.sh [install]
#   install   Only install a release in GPUBENCH_PREFIX, with the install.sh beside this script
#
# All inputs are environment variables, so that no value becomes part of a shell command:
#   GPUBENCH_SUITE         Name or file of the suite (default smoke)
#   GPUBENCH_DEVICE        Device (default cpu)
#   GPUBENCH_REPEAT        Processes per case (default 5)
#   GPUBENCH_ARGUMENTS     Arguments, separated by blanks, that replace suite, device and repeat
#   GPUBENCH_BASELINE      Result file to compare with, or "history" for the store; empty: none
#   GPUBENCH_GATE          Largest slowdown that passes (default 5%)
#   GPUBENCH_ALLOW         Settings that may differ from the baseline, such as cpu-model (default none)
#   GPUBENCH_INCONCLUSIVE  Exit code of an inconclusive comparison: warn (0, default) or fail (7)
#   GPUBENCH_OUTPUT        Path of the result file (default gpubench-result.json)
#   GPUBENCH_SUMMARY       File to append the summary to (default: GitHub's step summary, or stdout)
#   GPUBENCH_PREFIX        Folder of the installation (default: RUNNER_TEMP/gpubench, or PATH)
#   GPUBENCH_VERSION       Version to install (default: that of install.sh)
#   GPUBENCH_RELEASES      URL of the releases, or folder with the files of one release
#   GPUBENCH_ACTION_REPOSITORY  OWNER/NAME on GitHub, for the releases if GPUBENCH_RELEASES is empty
#
# Exit codes: 0 passed, 5 a case failed, 6 regression, 7 inconclusive, 8 incomparable; otherwise
# that of gpubench.
#
# Jobs on other services fetch this file only, so it uses no other. Must run in bash 3.2 (macOS).

set -euo pipefail

# Limit for each of the two tables: GitHub drops job summaries longer than 1 MiB.
most_page_bytes=500000

say() { printf 'gpubench: %s\n' "$*" >&2; }

read_inputs() {
  suite=${GPUBENCH_SUITE:-smoke}
  device=${GPUBENCH_DEVICE:-cpu}
  repeat=${GPUBENCH_REPEAT:-5}
  arguments=${GPUBENCH_ARGUMENTS:-}
  baseline=${GPUBENCH_BASELINE:-}
  gate=${GPUBENCH_GATE:-5%}
  allow=${GPUBENCH_ALLOW:-}
  inconclusive=${GPUBENCH_INCONCLUSIVE:-warn}
  result=${GPUBENCH_OUTPUT:-gpubench-result.json}
  summary=${GPUBENCH_SUMMARY:-${GITHUB_STEP_SUMMARY:-}}
  prefix=${GPUBENCH_PREFIX:-${RUNNER_TEMP:+$RUNNER_TEMP/gpubench}}
  version=${GPUBENCH_VERSION:-}
  releases=${GPUBENCH_RELEASES:-}
  # GitHub leaves GITHUB_ACTION_REPOSITORY empty for an action of the same repository.
  repository=${GPUBENCH_ACTION_REPOSITORY:-${GITHUB_REPOSITORY:-}}
}

on_github() { [[ ${GITHUB_ACTIONS:-} == true ]]; }

# conclude VERDICT CODE SENTENCE: sets the result of the job.
conclude() {
  verdict=$1
  code=$2
  sentence=$3
}

# --- Running

# Concludes and succeeds if an input is invalid. Control characters could forge lines of outputs.
reject_inputs() {
  local name
  for name in suite device repeat baseline gate result; do
    [[ ${!name} == *[[:cntrl:]]* ]] || continue
    conclude failed 2 "$name: contains a control character; remove it"
    return
  done
  if [[ $inconclusive != warn && $inconclusive != fail ]]; then
    conclude failed 2 "inconclusive: unknown value; give warn or fail"
  elif [[ -e $result ]]; then
    conclude failed 2 "output: $result already exists; remove it, or give another name"
  elif ! command -v gpubench >/dev/null 2>&1; then
    conclude failed 2 "gpubench is not on PATH; install it (docs/getting-started.md), or set GPUBENCH_PREFIX to its folder"
  else
    return 1
  fi
}

# Sets run_code.
run_gpubench() {
  local call words=()
  call=(gpubench suite "$suite" --device "$device" --repeat "$repeat")
  if [[ -n $arguments ]]; then
    read -r -d '' -a words <<<"$arguments" || true
    call=(gpubench ${words[@]+"${words[@]}"})
  fi
  run_code=0
  "${call[@]}" -o "$result" || run_code=$?
}

# explain CODE: prints the meaning of an exit code of gpubench, except 0 and those of the gate.
explain() {
  case $1 in
    1) echo "internal error" ;;
    2) echo "wrong usage" ;;
    3) echo "a file cannot be read" ;;
    4) echo "the device cannot be used" ;;
    5) echo "at least one case failed" ;;
    130) echo "interrupted" ;;
    *) echo "unknown exit code" ;;
  esac
}

exists() { [[ $1 == published:* || $1 == history || -r $1 ]]; }

conclude_run() {
  if [[ $run_code != 0 && $run_code != 5 ]]; then
    conclude failed "$run_code" "gpubench exited with $run_code: $(explain "$run_code"); see the log"
  elif [[ ! -r $result ]]; then
    conclude failed 3 "gpubench did not write $result; see the log"
  elif [[ -n $baseline ]] && exists "$baseline"; then
    compare_with_baseline
  elif [[ $run_code == 5 ]]; then
    conclude_failed_case
  elif [[ -n $baseline ]]; then
    conclude failed 3 "baseline: $baseline is missing; save $result of a good run on this kind of machine under that name"
  else
    conclude ok 0 "all cases are ok; not compared, since no baseline is given"
  fi
}

conclude_failed_case() { conclude failed 5 "at least one case failed; see the table"; }

# The gate ignores a case that also failed in the baseline, but the job must not.
compare_with_baseline() {
  local gate_code=0 sides=("$baseline" "$result")
  if [[ $baseline == history ]]; then sides=("$result" --baseline history); fi
  gpubench compare "${sides[@]}" --gate "$gate" ${allow:+--allow "$allow"} --format md >"$pages/gate.md" || gate_code=$?
  case $gate_code in
    6) conclude regression 6 "slower than $baseline, or a case that ran in $baseline fails; see the table" ;;
    8) conclude incomparable 8 "some cases of $baseline cannot be compared; if the work changed on purpose, make a new baseline" ;;
    0 | 7)
      if [[ $run_code == 5 ]]; then
        conclude_failed_case
      elif [[ $gate_code == 7 ]]; then
        conclude inconclusive 7 "the intervals are too wide to decide whether this is slower than $baseline; increase repeat"
      else
        conclude ok 0 "no case is slower than $baseline by more than the gate"
      fi
      ;;
    *) conclude failed "$gate_code" "gpubench compare: $(explain "$gate_code"); see the log" ;;
  esac
}

measure() {
  if reject_inputs; then return; fi
  run_gpubench
  if [[ -r $result ]]; then
    gpubench show "$result" --format md >"$pages/result.md" ||
      echo "$result cannot be shown; see the log." >"$pages/result.md"
  fi
  conclude_run
}

# --- Installing

# For CUDA, install.sh installs an archive without LibTorch, which `gpubench setup` then fetches.
install_gpubench() {
  local here kind=cpu install_code=0 options=()
  if [[ -z $prefix ]]; then
    conclude failed 2 "GPUBENCH_PREFIX: is empty; give the folder to install gpubench in"
    return
  fi
  here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
  [[ -n $releases || -z $repository ]] || releases=https://github.com/$repository/releases/download
  [[ -z $releases ]] || options+=(--from "$releases")
  [[ -z $version ]] || options+=(--version "$version")
  [[ $device != *cuda* ]] || kind=cuda
  sh "$here/install.sh" --device "$kind" --prefix "$prefix" ${options[@]+"${options[@]}"} || install_code=$?
  if [[ $install_code == 0 && $kind == cuda ]]; then "$prefix/bin/gpubench" setup --device cuda || install_code=$?; fi
  if [[ $install_code != 0 ]]; then
    conclude failed "$install_code" "gpubench cannot be installed; see the log"
    return
  fi
  conclude ok 0 "installed in $prefix"
  # GitHub adds it to PATH in later steps of the job.
  [[ -z ${GITHUB_PATH:-} ]] || printf '%s\n' "$prefix/bin" >>"$GITHUB_PATH"
}

# --- Reporting

# page FILE: prints a page of gpubench if it exists.
page() {
  [[ -s $1 ]] || return 0
  echo
  if (($(wc -c <"$1") > most_page_bytes)); then
    echo "The table is too long for this summary; see the result file."
  else
    cat "$1"
  fi
}

add_to_summary() {
  if [[ -n $summary ]]; then cat >>"$summary"; else cat; fi
}

write_summary() {
  {
    printf '# gpubench: %s\n\n%s\n' "$verdict" "$sentence"
    page "$pages/gate.md"
    page "$pages/result.md"
    echo
  } | add_to_summary || say "cannot write the summary to $summary"
}

write_outputs() {
  [[ -n ${GITHUB_OUTPUT:-} ]] || return 0
  local written=
  [[ ! -r $result || ! -s $pages/result.md ]] || written=$result
  printf '%s\n' "result=$written" "verdict=$verdict" "exit-code=$code" >>"$GITHUB_OUTPUT"
}

# Escapes a text for a GitHub annotation.
escaped() {
  local text=${1//'%'/%25}
  text=${text//$'\r'/%0D}
  printf '%s\n' "${text//$'\n'/%0A}"
}

passes() { [[ $code == 0 || ($verdict == inconclusive && $inconclusive == warn) ]]; }

announce() {
  local level=error
  if passes; then level=warning; fi
  if on_github && [[ $code != 0 ]]; then
    printf '::%s title=gpubench %s::%s\n' "$level" "$verdict" "$(escaped "$sentence")"
  else
    say "$verdict: $sentence"
  fi
}

main() {
  local task=${1:-measure}
  if [[ $# -gt 1 || ($task != measure && $task != install) ]]; then
    say "usage: ci-gate.sh [install]"
    exit 2
  fi
  read_inputs
  [[ -z $prefix ]] || PATH=$prefix/bin:$PATH
  pages=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-ci.XXXXXX")
  trap 'rm -rf "$pages"' EXIT
  if [[ $task == install ]]; then install_gpubench; else measure; fi
  # A successful installation needs no summary.
  if [[ $task == measure || $code != 0 ]]; then
    write_summary
    write_outputs
  fi
  announce
  passes || exit "$code"
}

main "$@"
