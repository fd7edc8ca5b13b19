#!/usr/bin/env bash
# Checks gpubench on a device: runs the commands of a plan, the most important first, and compares
# their values with bounds. A later call does not repeat completed commands.
# usage: scripts/gpu-check.sh [--minutes N] [--device NAME] [--plan FILE] [--results FOLDER]
#                             [--report]
#        scripts/gpu-check.sh --pack FOLDER [--with-torch] [DATASET...]
#
#   --minutes N       Time limit (default 30); the next call repeats the command that it ends
#   --device NAME     Device to check (default cuda)
#   --plan FILE       Plan with commands and bounds (default bench/plans/cuda.plan)
#   --results FOLDER  Folder for the results (default results/gpu-check)
#   --report          Print the report without running anything
#   --pack FOLDER     Copy all files to run FOLDER/scripts/gpu-check.sh on a machine without network
#   --with-torch      Add LibTorch to the pack (several GB), if that machine lacks this version
#   DATASET           Datasets for the pack, as folders of GPUBENCH_DATA_DIR
#
# GPUBENCH is the program, TESTS the folder of the test programs (default: the packed ones, or those
# that scripts/test.sh built).
# Exit codes: 0 all checks passed, 1 a check failed, 2 wrong usage, 3 checks are pending.

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
      (($# > 1)) || usage "$1: its value is missing"
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
    -*) usage "$1: unknown option" ;;
    *) datasets+=("$1") ;;
  esac
  shift
done
[[ $minutes =~ ^[0-9]+$ ]] || usage "--minutes $minutes: not a whole number"
[[ $task == pack || ${#datasets[@]} == 0 ]] || usage "${datasets[0]}: unexpected argument; datasets need --pack"
[[ -r $plan ]] || usage "--plan $plan: cannot be read"

find_programs
if [[ $task == pack ]]; then
  pack "$pack_folder" "$with_torch" ${datasets[@]+"${datasets[@]}"}
  exit
fi
mkdir -p "$results"
results=$(cd "$results" && pwd)
export results
export GPUBENCH_STORE=$results/store.sqlite  # Keeps the runs out of the user's history.
if [[ $task == run ]]; then run_plan "$plan" "$minutes"; fi
report "$plan"
