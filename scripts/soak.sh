#!/usr/bin/env bash
# Short sweeps one after the other, each disturbed at random (signals to its processes, too little memory, a full disk, a clock that jumps)
# and resumed until complete. Linux only.
# usage: scripts/soak.sh [--hours H] [--seed N]
#
#   --hours H   starts no sweep after this time; also 0.1 (default 12)
#   --seed N    repeats the choices of an earlier run (default: another one each time, which is printed)
#
# After each sweep every case is in the document once and ok, the document is valid, and no process is left. Exits with 1 otherwise and
# prints the folder of what failed. GPUBENCH is the program (default: what scripts/test.sh built).

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
    *) refuse "$1 is not known; see scripts/soak.sh --help" ;;
  esac
  shift || refuse "a value is missing; see scripts/soak.sh --help"
done
[[ $hours =~ ^[0-9]+([.][0-9]+)?$ && $seed =~ ^[0-9]+$ ]] || refuse "--hours $hours, --seed $seed: give numbers"
if [[ ! -d /proc/self/fd ]] || ! have jq; then refuse "needs Linux and jq"; fi
program=${GPUBENCH:-$build_folder/gpubench}
injector=$build_folder/tests/libfault_injector.so
[[ -x $program ]] || refuse "$program is missing; build it with scripts/test.sh, or name another one in GPUBENCH"

workshop=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-soak.XXXXXX")
place=$workshop/sweep
failures=0 sweeps=0 resumes=0 supervisor=
trap 'kill -KILL $supervisor 2>/dev/null || true; release_disk; ((failures)) || rm -rf "$workshop"' EXIT
# Threads that wait for each other do not spin, which on a busy machine would make hours of seconds.
export XDG_CACHE_HOME=$workshop/cache OMP_WAIT_POLICY=PASSIVE
sweep=(--model "mlp,cnn" --batch "64,128" --epochs 2 --device cpu --max-samples 512 --threads 1 --dataset synthetic --output run.json --quiet)

release_disk() { ! mountpoint -q "$place" || umount "$place"; }
pause_up_to() { sleep "$((RANDOM % $1)).$((RANDOM % 1000))"; }
pick() { shift $((RANDOM % $#)) && echo "$1"; }
workers() { pgrep -P "$supervisor" || echo "$supervisor"; }
signal() { kill -"$1" "$2" 2>/dev/null || true; }

# disturb WAY
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

# begin WAY WORD...: runs the program in the background.
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

# resume: continues the run, or starts it again if neither its file nor the store has it.
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

complain() {
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
  ((status == 0)) || complain "exit code $status: $(tail -n 1 "$place/err")"
  found=$(jq -c '[.results[] | select(.status == "ok") | .asked | "\(.model):\(.batch_size)"]' "$place/run.json" 2>/dev/null) || true
  [[ $found == '["mlp:64","mlp:128","cnn:64","cnn:128"]' ]] || complain "cases are $found"
  (cd "$place" && "$program" file validate run.json >valid 2>&1) || complain "$(tail -n 1 "$place/valid")"
  for ((looks = 0; looks < 200; ++looks)); do
    find /proc/[0-9]*/cwd -lname "$place" 2>/dev/null | grep -q . || break
    sleep 0.1
  done
  ((looks < 200)) || complain "processes are left"
  sweeps=$((sweeps + 1))
}

RANDOM=$seed
say "seed $seed, $hours hours"
end=$(($(date +%s) + $(awk -v hours="$hours" 'BEGIN { printf "%.0f", 3600 * hours }')))
while (($(date +%s) < end)); do one_sweep; done
say "$sweeps sweeps, $resumes resumes, $failures failures"
((failures == 0))
