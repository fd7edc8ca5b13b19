#!/usr/bin/env bash
# Tests ranks started by torchrun, Open MPI, Hydra and Slurm: they connect, write one result file,
# and do not outlive their launcher. Skips missing launchers.
# usage: launchers_test.sh GPUBENCH AWAIT_STORED
# GPUBENCH_TEST_TORCHRUN is a torchrun that is not on PATH. GPUBENCH_TEST_SLURM=1 starts a cluster
# on this machine if none responds, which needs root.

# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"

usage="usage: $0 GPUBENCH AWAIT_STORED"
gpubench=$(realpath "${1:?$usage}")
await_stored=$(realpath "${2:?$usage}")
export GPUBENCH_STORE=$folder/run/store.sqlite
mark=GPUBENCH_TEST_MARK=$folder
torchrun=${GPUBENCH_TEST_TORCHRUN:-torchrun}
tried=0
daemons=()
training=(--model mlp --dataset synthetic --max-samples 1024 --batch 64 --meter none --device cpu --quiet --timeout 20s -o run.json)

skip() { echo "skipped: $1"; }

has() { command -v "$1" >/dev/null; }

# Prints the ids of all processes of the current launch.
processes() { grep -lsxzF "$mark" /proc/[0-9]*/environ | cut -d / -f 3; }

end_processes() {
  local process
  for process in $(processes); do kill -9 "$process" 2>/dev/null || true; done
}

clean_up() {
  end_processes
  [[ ${#daemons[@]} == 0 ]] || { kill "${daemons[@]}" && wait "${daemons[@]}"; } 2>/dev/null || true
  rm -rf "$folder"
}
trap clean_up EXIT

# Removes the variables of a launcher that started this test.
forget_launchers() {
  local variable
  for variable in $(compgen -e); do
    case $variable in
      RANK | WORLD_SIZE | LOCAL_RANK | LOCAL_WORLD_SIZE | MASTER_ADDR | MASTER_PORT | GPUBENCH_JOB | GPUBENCH_RANK_SOCKET | \
        TORCHELASTIC_* | OMPI_* | PMI_* | PMIX_* | MPI_LOCAL*) unset "$variable" ;;
      SLURM_CONF) ;;
      SLURM_*) unset "$variable" ;;
    esac
  done
}

# await SECONDS COMMAND...: waits until the command succeeds; fails after this time.
await() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.2
  done
}

all_ended() { [[ -z $(processes) ]]; }

print_processes() {
  local process
  for process in $(processes); do echo "  $process $(tr '\0' ' ' <"/proc/$process/cmdline" | cut -c 1-120)"; done
}

all_end_within() {
  await "$1" all_ended && return
  echo "left:"
  print_processes
  return 1
}

# --- Launchers. begin_<launcher> COUNT: sets `launcher` to the command for COUNT processes.

begin_torchrun() { launcher=("$torchrun" --standalone --no-python --nproc-per-node "$1"); }

open_mpi=
for name in mpirun.openmpi mpirun; do
  if [[ -z $open_mpi ]] && has "$name" && [[ $("$name" --version 2>/dev/null) == *"Open MPI"* ]]; then open_mpi=$name; fi
done

begin_open_mpi() {
  launcher=("$open_mpi" --oversubscribe -np "$1")
  [[ $(id -u) != 0 ]] || launcher+=(--allow-run-as-root)
}

begin_hydra() { launcher=(mpiexec.hydra -n "$1"); }

begin_slurm() { launcher=(srun --immediate=20 --overcommit --nodes 1 --nodelist "$(hostname -s)" --ntasks "$1"); }

begin_slurm_with_pmi2() {
  begin_slurm "$1"
  launcher+=(--mpi=pmi2)
}

# --- Checks

# Creates a folder for a run, with the machine facts that earlier runs measured in its store.
make_folder() {
  rm -rf "$folder/run" && mkdir "$folder/run"
  [[ ! -e $folder/facts.sqlite ]] || cp "$folder/facts.sqlite" "$GPUBENCH_STORE"
}

# trained LAUNCHER COUNT [COMMAND...]: runs COUNT ranks with the prefix COMMAND; sets `status`.
trained() {
  local launcher=()
  make_folder
  "begin_$1" "$2"
  shift 2
  status=0
  (cd "$folder/run" && timeout 60 env "$mark" "${launcher[@]}" "$@" "$gpubench" "${training[@]}" --epochs 2) \
    </dev/null >"$folder/stdout" 2>"$folder/stderr" || status=$?
  [[ $status != 0 ]] || cp "$GPUBENCH_STORE" "$folder/facts.sqlite"
}

matches() { [[ $(jq "$1" "$folder/run/run.json") == true ]]; }

is_valid() { "$gpubench" file validate "$folder/run/run.json" >"$folder/stdout" 2>"$folder/stderr"; }

check_run() {
  local name=$1 count=$2
  check "$count ranks of $name exit with 0, not $status" is "$status" 0
  check "$name leaves no process of $count ranks" all_end_within 5
  check "$count ranks of $name write one result file" is "$(cd "$folder/run" && echo ./*.json)" ./run.json
  [[ -e $folder/run/run.json ]] || return 0
  check "the case of $name has $count ranks" matches "[.results[] | [.status, .asked.world_size]] == [[\"ok\", $count]]"
  check "the result file of $name lists $count ranks" matches "[.environment.ranks[].rank] == [range($count)]"
  check "the result file of $name is valid" is_valid
}

is_under_way() { "$await_stored" epochs 2; }

# check_end SIGNAL LAUNCHER: checks that a long run ends after a signal to its launcher.
check_end() {
  local signal=$1 name=$2 launcher=() process
  make_folder
  "begin_$name" 2
  cd "$folder/run"
  env "$mark" "${launcher[@]}" "$gpubench" "${training[@]}" --epochs 50000 </dev/null >"$folder/stdout" 2>"$folder/stderr" &
  process=$!
  cd "$OLDPWD"
  check "a long run of $name starts" await 40 is_under_way
  kill -s "$signal" "$process"
  wait "$process" 2>/dev/null || true
  check "$name leaves no process 30 s after SIG$signal" all_end_within 30
  end_processes
  [[ $signal == TERM && -e $folder/run/run.json ]] || return 0
  check "SIGTERM to $name interrupts the run" matches '[.results[].status] == ["interrupted"]'
}

check_launcher() {
  tried=$((tried + 1))
  trained "$1" 2
  check_run "$1" 2
  # More ranks than a small machine has cores, each in a wrapper script.
  # shellcheck disable=SC2016 # The inner shell expands.
  trained "$1" 4 sh -c '"$@"; exit $?' script
  check_run "$1" 4
  check_end KILL "$1"
  check_end TERM "$1"
}

test_torchrun() {
  has "$torchrun" || { skip "torchrun, which is missing" && return; }
  check_launcher torchrun
}

test_open_mpi() {
  [[ -n $open_mpi ]] || { skip "Open MPI, which is missing" && return; }
  check_launcher open_mpi
}

test_hydra() {
  has mpiexec.hydra || { skip "Hydra, which is missing" && return; }
  check_launcher hydra
}

# --- Slurm

is_cluster_ready() { [[ $(timeout 10 sinfo --noheader --nodes "$(hostname -s)" --format %t 2>/dev/null) == @(idle|mix) ]]; }

write_slurm_configuration() {
  local port=$((24000 + $$ % 1000 * 2)) name
  name=$(hostname -s)
  mkdir -p "$folder/slurm/state" "$folder/slurm/spool"
  printf '%s\n' ClusterName=gpubench SlurmctldHost=localhost SlurmctldPort=$port SlurmdPort=$((port + 1)) SlurmUser=root \
    SlurmdUser=root AuthType=auth/none CredType=cred/none StateSaveLocation="$folder/slurm/state" \
    SlurmdSpoolDir="$folder/slurm/spool" SlurmctldPidFile="$folder/slurm/slurmctld.pid" SlurmdPidFile="$folder/slurm/slurmd.pid" \
    ProctrackType=proctrack/linuxproc TaskPlugin=task/none SwitchType=switch/none MpiDefault=none ReturnToService=2 \
    "NodeName=$name NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN" \
    "PartitionName=test Nodes=$name Default=YES MaxTime=INFINITE State=UP" >"$folder/slurm/slurm.conf"
}

# Starts a cluster on this machine for the duration of the test, without authentication.
make_cluster() {
  local daemon
  write_slurm_configuration
  export SLURM_CONF=$folder/slurm/slurm.conf
  for daemon in slurmctld slurmd; do
    "$daemon" -D >"$folder/slurm/$daemon.log" 2>&1 &
    daemons+=($!)
  done
  await 20 is_cluster_ready
}

may_make_cluster() { [[ ${GPUBENCH_TEST_SLURM:-} == 1 && $(id -u) == 0 ]] && has slurmctld && has slurmd; }

test_slurm() {
  has srun || { skip "Slurm, which is missing" && return; }
  if ! is_cluster_ready; then
    may_make_cluster || { skip "Slurm, since no cluster with this machine responds" && return; }
    make_cluster || { skip "Slurm, since no cluster can be started: $(tail -n 1 "$folder"/slurm/*.log)" && return; }
  fi
  check_launcher slurm
  [[ $(srun --mpi=list 2>&1) == *pmi2* ]] || return 0
  trained slurm_with_pmi2 2
  check_run slurm_with_pmi2 2
}

[[ -r /proc/self/environ ]] || { skip "all, since /proc is missing" && exit 77; }
has jq || { skip "all, since jq is missing" && exit 77; }
forget_launchers
run_tests
[[ $tried != 0 ]] || exit 77
