#!/usr/bin/env bash
# Soak test: short runs with random disturbances (signals to processes, low memory, a full disk, a
# jumping clock), each resumed until complete. Then the result file must be valid and contain every
# case once with status ok, and no process may be left. Otherwise prints the folder of the failure,
# and exits with 1 at the end. Linux only.
# usage: scripts/soak.sh [--hours H] [--seed N]
#
#   --hours H   Time after which no run is started, e.g. 0.1 (default 12)
#   --seed N    Seed of the disturbances, to repeat an earlier test (default: random, and printed)
#
# GPUBENCH is the program (default: the one that scripts/test.sh built).

set -euo pipefail
# shellcheck source=scripts/lib/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/build.sh"

hours=12
seed=$RANDOM
while (($#)); do
  case $1 in
    --hours) hours=${2:-} && shift ;;
    --seed) seed=${2:-} && shift ;;
    -h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" && exit ;;
    *) refuse "$1: unknown option; see scripts/soak.sh --help" ;;
  esac
  shift || refuse "the value of the last option is missing; see scripts/soak.sh --help"
done
[[ $hours =~ ^[0-9]+([.][0-9]+)?$ && $seed =~ ^[0-9]+$ ]] || refuse "--hours $hours, --seed $seed: not numbers; see scripts/soak.sh --help"
if [[ ! -d /proc/self/fd ]] || ! have jq; then refuse "Linux or jq is missing; install jq, or use Linux"; fi
program=${GPUBENCH:-$build_folder/gpubench}
injector=$build_folder/tests/libfault_injector.so
[[ -x $program ]] || refuse "$program is missing; build it with scripts/test.sh, or set GPUBENCH to a program"

workshop=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-soak.XXXXXX")
place=$workshop/sweep
failures=0 sweeps=0 resumes=0 supervisor=
trap 'kill -KILL $supervisor 2>/dev/null || true; release_disk; ((failures)) || rm -rf "$workshop"' EXIT
# Waiting threads sleep instead of spinning, which would be very slow on a busy machine.
export XDG_CACHE_HOME=$workshop/cache OMP_WAIT_POLICY=PASSIVE
sweep=(--model "mlp,cnn" --batch "64,128" --epochs 2 --device cpu --max-samples 512 --threads 1 --dataset synthetic --output run.json --quiet)

release_disk() { ! mountpoint -q "$place" || umount "$place"; }
pause_up_to() { sleep "$((RANDOM % $1)).$((RANDOM % 1000))"; }
pick() { shift $((RANDOM % $#)) && echo "$1"; }
workers() { pgrep -P "$supervisor" || echo "$supervisor"; }
signal() { kill -"$1" "$2" 2>/dev/null || true; }

# disturb WAY: applies one of the disturbances to the running program.
disturb() {
  # shellcheck disable=SC2046  # Process numbers.
  case $1 in
    kill_worker) signal "$(pick KILL TERM INT)" "$(pick $(workers))" ;;
    kill_supervisor) signal "$(pick KILL TERM INT)" "$supervisor" ;;
    stop)
      local stopped
      stopped=$(pick "$supervisor" $(workers))
      signal STOP "$stopped" && pause_up_to 3 && signal CONT "$stopped"
      ;;
    disk)
      mountpoint -q "$place" || return 0
      dd if=/dev/zero of="$place/filler" bs=4096 2>/dev/null || true
      pause_up_to 1 && rm -f "$place/filler"
      ;;
  esac
}

# begin WAY WORD...: starts the program in the background.
begin() {
  (
    cd "$place"
    case $1 in
      disk) mountpoint -q "$place" || ulimit -f 24 ;;
      clock) [[ ! -e $injector ]] || export LD_PRELOAD=$injector GPUBENCH_FAULT_CLOCK=5 ;;
      memory) set -- "$@" --memory-limit 256M ;;
    esac
    exec "$program" "${@:2}" >out 2>err
  ) &
  supervisor=$!
}

# resume: continues the run, or restarts it if neither the result file nor the store contains it.
resume() {
  begin nothing --resume run.json --quiet
  status=0
  wait "$supervisor" 2>/dev/null || status=$?
  resumes=$((resumes + 1))
  [[ $status == 2 && ! -e $place/run.json ]] || return 0
  begin nothing "${sweep[@]}"
  status=0
  wait "$supervisor" 2>/dev/null || status=$?
}

report_failure() {
  say "$way: $*; see $workshop/found-$((++failures))"
  cp -r "$place" "$workshop/found-$failures"
}

one_sweep() {
  local status=0 tries looks found
  way=$(pick nothing kill_worker kill_supervisor stop memory disk clock)
  release_disk
  rm -rf "$place" && mkdir "$place"
  export GPUBENCH_STORE=$workshop/host.sqlite
  [[ $way != disk ]] || GPUBENCH_STORE=$place/host.sqlite
  [[ $way != disk ]] || mount -t tmpfs -o size=512k gpubench-soak "$place" 2>/dev/null || true
  begin "$way" "${sweep[@]}"
  pause_up_to 3
  disturb "$way"
  wait "$supervisor" 2>/dev/null || status=$?
  for ((tries = 0; status && tries < 8; ++tries)); do
    resume
  done
  ((status == 0)) || report_failure "exit code $status: $(tail -n 1 "$place/err")"
  found=$(jq -c '[.results[] | select(.status == "ok") | .asked | "\(.model):\(.batch_size)"]' "$place/run.json" 2>/dev/null) || true
  [[ $found == '["mlp:64","mlp:128","cnn:64","cnn:128"]' ]] || report_failure "wrong cases: $found"
  (cd "$place" && "$program" file validate run.json >valid 2>&1) || report_failure "$(tail -n 1 "$place/valid")"
  for ((looks = 0; looks < 200; ++looks)); do
    find /proc/[0-9]*/cwd -lname "$place" 2>/dev/null | grep -q . || break
    sleep 0.1
  done
  ((looks < 200)) || report_failure "processes are left"
  sweeps=$((sweeps + 1))
}

RANDOM=$seed
say "seed $seed, $hours hours"
end=$(($(date +%s) + $(awk -v hours="$hours" 'BEGIN { printf "%.0f", 3600 * hours }')))
while (($(date +%s) < end)); do one_sweep; done
say "$sweeps runs, $resumes resumes, $failures failures"
((failures == 0))
