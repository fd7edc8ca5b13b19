#!/usr/bin/env bash
# Whether what gpubench says of a device is true: runs the checks of a plan, the most important first, for as long as there is time. What
# is done is not run again. Ends with 0 where all passed, 1 where something failed, 3 where something is left to be run.
# usage: scripts/gpu-check.sh [--minutes N] [--device NAME] [--plan FILE] [--results FOLDER] [--report]
#        scripts/gpu-check.sh --pack FOLDER [--with-torch] [DATASET...]
#
#   --minutes N       begins nothing after so long, and ends what runs then (default 30)
#   --device NAME     default cuda
#   --plan FILE       default bench/plans/cuda.plan, which says how plans are written
#   --results FOLDER  where runs go on (default results/gpu-check)
#   --report          runs nothing, and says what passed
#   --pack FOLDER     copies what a machine without network needs; there: FOLDER/scripts/gpu-check.sh
#   --with-torch      and LibTorch, of some gigabytes; without, that machine needs a torch of the same version
#
# GPUBENCH is the program (default: what scripts/test.sh built, or what was packed), TESTS the folder of the tests' programs.

set -euo pipefail
# shellcheck source=scripts/lib/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/build.sh"
# shellcheck source=scripts/lib/pack.sh
source "$root/scripts/lib/pack.sh"
# shellcheck source=scripts/lib/checks.sh
source "$root/scripts/lib/checks.sh"

minutes=30
export DEVICE=cuda
plan=$root/bench/plans/cuda.plan
results=results/gpu-check
task=run
pack_folder=
with_torch=no
datasets=()

while (($# > 0)); do
  case $1 in
    --minutes | --device | --plan | --results | --pack)
      (($# > 1)) || usage "$1 needs a value"
      case $1 in
        --minutes) minutes=$2 ;;
        --device) DEVICE=$2 ;;
        --plan) plan=$2 ;;
        --results) results=$2 ;;
        --pack) task=pack pack_folder=$2 ;;
      esac
      shift
      ;;
    --report) task=report ;;
    --with-torch) with_torch=yes ;;
    -h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" && exit ;;
    -*) usage "$1 is not known" ;;
    *) datasets+=("$1") ;;
  esac
  shift
done
[[ $minutes =~ ^[0-9]+$ ]] || usage "--minutes $minutes is no whole number"
[[ $task == pack || ${#datasets[@]} == 0 ]] || usage "${datasets[0]}: datasets are for --pack"
[[ -r $plan ]] || usage "--plan $plan cannot be read"

find_programs
if [[ $task == pack ]]; then
  pack "$pack_folder" "$with_torch" ${datasets[@]+"${datasets[@]}"}
  exit
fi
mkdir -p "$results"
results=$(cd "$results" && pwd)
export results
export GPUBENCH_STORE=$results/store.sqlite  # Not in the user's history.
if [[ $task == run ]]; then run_plan "$plan" "$minutes"; fi
report "$plan"
