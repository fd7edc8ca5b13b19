#!/usr/bin/env bash
# What a job of a continuous integration runs: gpubench once, its result beside a baseline, a summary in Markdown, a verdict.
# The GitHub Action (action.yml) calls it, and so may a job on any other service; docs/ci.md is for users.
#
# usage: ci-gate.sh [install]
#   install   first put the gpubench of a release into GPUBENCH_PREFIX, by the install.sh that lies beside this script
#
# Everything is told by variables, so that no value is ever part of a command line that a shell reads:
#   GPUBENCH_SUITE, GPUBENCH_DEVICE, GPUBENCH_REPEAT   what to run (smoke, cpu, 5)
#   GPUBENCH_ARGUMENTS    instead of these three: the words after `gpubench`, split at blanks
#   GPUBENCH_BASELINE     result file to compare with, or history: the earlier runs in the store; empty: nothing is judged
#   GPUBENCH_GATE         by how much something may be slower (5%)
#   GPUBENCH_INCONCLUSIVE warn: ends with 0 where the times do not tell; fail: with 7
#   GPUBENCH_OUTPUT       the result file (gpubench-result.json)
#   GPUBENCH_SUMMARY      file that the summary is added to; else that of GitHub, else stdout
#   GPUBENCH_PREFIX       where gpubench is, or is to be installed; else a folder below GitHub's RUNNER_TEMP, else PATH
#   GPUBENCH_VERSION, GPUBENCH_RELEASES   which release, and the address or the folder where it is
#   GPUBENCH_ACTION_REPOSITORY            OWNER/NAME on GitHub whose releases are taken where no address is given
#
# It leans on no other file of the repository, since jobs on other services fetch this one alone. The bash of macOS is 3.2.

set -euo pipefail

# Of each of the two pages: job summaries of GitHub that are longer than 1 MiB are dropped as a whole.
most_page_bytes=500000

say() { printf 'gpubench: %s\n' "$*" >&2; }

read_inputs() {
  suite=${GPUBENCH_SUITE:-smoke}
  device=${GPUBENCH_DEVICE:-cpu}
  repeat=${GPUBENCH_REPEAT:-5}
  arguments=${GPUBENCH_ARGUMENTS:-}
  baseline=${GPUBENCH_BASELINE:-}
  gate=${GPUBENCH_GATE:-5%}
  inconclusive=${GPUBENCH_INCONCLUSIVE:-warn}
  result=${GPUBENCH_OUTPUT:-gpubench-result.json}
  summary=${GPUBENCH_SUMMARY:-${GITHUB_STEP_SUMMARY:-}}
  prefix=${GPUBENCH_PREFIX:-${RUNNER_TEMP:+$RUNNER_TEMP/gpubench}}
  version=${GPUBENCH_VERSION:-}
  releases=${GPUBENCH_RELEASES:-}
  # GitHub leaves it empty for an action of the repository itself.
  repository=${GPUBENCH_ACTION_REPOSITORY:-${GITHUB_REPOSITORY:-}}
}

on_github() { [[ ${GITHUB_ACTIONS:-} == true ]]; }

# conclude VERDICT CODE SENTENCE: what all of this comes to.
conclude() {
  verdict=$1
  code=$2
  sentence=$3
}

# --- Running

# Values end up in lines of logs, of summaries and of outputs.
refuse_inputs() {
  local name
  for name in suite device repeat baseline gate result; do
    [[ ${!name} == *[[:cntrl:]]* ]] || continue
    conclude failed 2 "$name: has a line break or another control character; leave it out"
    return
  done
  if [[ $inconclusive != warn && $inconclusive != fail ]]; then
    conclude failed 2 "inconclusive: is neither warn nor fail; give one of these"
  elif [[ -e $result ]]; then
    conclude failed 2 "output: $result is there already; remove it, or give another name"
  elif ! command -v gpubench >/dev/null 2>&1; then
    conclude failed 2 "gpubench is not on PATH; install it (docs/install.md), or name its folder by GPUBENCH_PREFIX"
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

# meaning_of CODE, of gpubench other than 0 and those of the gate.
meaning_of() {
  case $1 in
    1) echo "a fault of gpubench" ;;
    2) echo "wrong usage" ;;
    3) echo "a file that cannot be read" ;;
    4) echo "the device cannot be used" ;;
    5) echo "at least one case is not ok" ;;
    130) echo "interrupted" ;;
    *) echo "not one of its own exit codes" ;;
  esac
}

is_there() { [[ $1 == published:* || $1 == history || -r $1 ]]; }

judge() {
  if [[ $run_code != 0 && $run_code != 5 ]]; then
    conclude failed "$run_code" "gpubench ended with exit code $run_code: $(meaning_of "$run_code"); the log says more"
  elif [[ ! -r $result ]]; then
    conclude failed 3 "gpubench left no result in $result; the log says why"
  elif [[ -n $baseline ]] && is_there "$baseline"; then
    compare_with_baseline
  elif [[ $run_code == 5 ]]; then
    conclude_failed_case
  elif [[ -n $baseline ]]; then
    conclude failed 3 "baseline: there is no $baseline; keep $result of a good run on this kind of machine under that name"
  else
    conclude ok 0 "all cases ended well; there is no baseline, so nothing was judged"
  fi
}

conclude_failed_case() { conclude failed 5 "at least one case is not ok; the table says which"; }

# A case that failed is no news to the gate where it failed in the baseline too, and is not ok all the same.
compare_with_baseline() {
  local gate_code=0 sides=("$baseline" "$result")
  if [[ $baseline == history ]]; then sides=("$result" --baseline history); fi
  gpubench compare "${sides[@]}" --gate "$gate" --format md >"$pages/gate.md" || gate_code=$?
  case $gate_code in
    6) conclude regression 6 "slower than $baseline beyond doubt, or a case that ran does not any more" ;;
    8) conclude incomparable 8 "not every case of $baseline can be judged; where the work changed on purpose, make a new one" ;;
    0 | 7)
      if [[ $run_code == 5 ]]; then
        conclude_failed_case
      elif [[ $gate_code == 7 ]]; then
        conclude inconclusive 7 "the times do not tell whether this is slower than $baseline; more repetitions may"
      else
        conclude ok 0 "nothing is slower than $baseline beyond the threshold"
      fi
      ;;
    *) conclude failed "$gate_code" "gpubench compare: $(meaning_of "$gate_code"); the log says more" ;;
  esac
}

measure() {
  if refuse_inputs; then return; fi
  run_gpubench
  # Before the judgement, which may take long or be ended.
  if [[ -r $result ]]; then
    gpubench show "$result" --format md >"$pages/result.md" ||
      echo "$result cannot be shown; the log says why." >"$pages/result.md"
  fi
  judge
}

# --- Installing

# `gpubench setup` fetches the LibTorch of the small archive, which is the one for CUDA.
install_gpubench() {
  local here kind=cpu install_code=0 options=()
  if [[ -z $prefix ]]; then
    conclude failed 2 "GPUBENCH_PREFIX: is empty; give the folder to install gpubench into"
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
    conclude failed "$install_code" "gpubench cannot be installed; the log says why"
    return
  fi
  conclude ok 0 "installed in $prefix"
  # For later steps of the same job.
  [[ -z ${GITHUB_PATH:-} ]] || printf '%s\n' "$prefix/bin" >>"$GITHUB_PATH"
}

# --- Telling

# page FILE: a page of gpubench, if it was made.
page() {
  [[ -s $1 ]] || return 0
  echo
  if (($(wc -c <"$1") > most_page_bytes)); then
    echo "The table is too long to be shown here; the result file has it all."
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
  local there=
  [[ ! -r $result || ! -s $pages/result.md ]] || there=$result
  printf '%s\n' "result=$there" "verdict=$verdict" "exit-code=$code" >>"$GITHUB_OUTPUT"
}

# As GitHub wants the text of an annotation.
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
  # An installation that went well is no news yet.
  if [[ $task == measure || $code != 0 ]]; then
    write_summary
    write_outputs
  fi
  announce
  passes || exit "$code"
}

main "$@"
