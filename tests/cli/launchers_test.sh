#!/usr/bin/env bash
# Ranks that torchrun, Open MPI, Hydra and Slurm start: they find each other, one document comes of it, and nothing outlives a
# launcher that is ended. A launcher that is not there is left out.
# usage: launchers_test.sh GPUBENCH AWAIT_STORED
# GPUBENCH_TEST_TORCHRUN names a torchrun that is not in PATH. GPUBENCH_TEST_SLURM=1 makes a cluster of this machine where none
# answers; that takes root.

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

# The processes of the launch that is under way, and their children's.
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

# What started this test is not to speak to the ranks.
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

# await SECONDS COMMAND...: whether it succeeds in this time.
await() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.2
  done
}

is_none_left() { [[ -z $(processes) ]]; }

shown_processes() {
  local process
  for process in $(processes); do echo "  $process $(tr '\0' ' ' <"/proc/$process/cmdline" | cut -c 1-120)"; done
}

none_left_in() {
  await "$1" is_none_left && return
  echo "left:"
  shown_processes
  return 1
}

# --- Launchers. begin_<launcher> COUNT: sets `launcher` to the words that start so many processes on this machine.

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

# A folder for a run, whose store has the facts about this machine that earlier runs measured.
make_folder() {
  rm -rf "$folder/run" && mkdir "$folder/run"
  [[ ! -e $folder/facts.sqlite ]] || cp "$folder/facts.sqlite" "$GPUBENCH_STORE"
}

# trained LAUNCHER COUNT [COMMAND...]: runs so many ranks, each by the command if there is one; sets `status`.
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

holds() { [[ $(jq "$1" "$folder/run/run.json") == true ]]; }

is_valid() { "$gpubench" file validate "$folder/run/run.json" >"$folder/stdout" 2>"$folder/stderr"; }

check_run() {
  local name=$1 count=$2
  check "$count ranks of $name end with 0, and not with $status" is "$status" 0
  check "$name leaves no process of $count ranks" none_left_in 5
  check "there is one document of $count ranks of $name" is "$(cd "$folder/run" && echo ./*.json)" ./run.json
  [[ -e $folder/run/run.json ]] || return 0
  check "its case has $count ranks" holds "[.results[] | [.status, .asked.world_size]] == [[\"ok\", $count]]"
  check "it knows each of them" holds "[.environment.ranks[].rank] == [range($count)]"
  check "it is valid" is_valid
}

is_under_way() { "$await_stored" epochs 2; }

# check_end SIGNAL LAUNCHER: what becomes of a long run whose launcher is sent the signal.
check_end() {
  local signal=$1 name=$2 launcher=() process
  make_folder
  "begin_$name" 2
  cd "$folder/run"
  env "$mark" "${launcher[@]}" "$gpubench" "${training[@]}" --epochs 50000 </dev/null >"$folder/stdout" 2>"$folder/stderr" &
  process=$!
  cd "$OLDPWD"
  check "a long run under $name begins" await 40 is_under_way
  kill -s "$signal" "$process"
  wait "$process" 2>/dev/null || true
  check "$name that got SIG$signal leaves no process after 30 s" none_left_in 30
  end_processes
  [[ $signal == TERM && -e $folder/run/run.json ]] || return 0
  check "a run that $name was told to end is interrupted" holds '[.results[].status] == ["interrupted"]'
}

check_launcher() {
  tried=$((tried + 1))
  trained "$1" 2
  check_run "$1" 2
  # More ranks than there are cores on small machines, and a script around each as people write them.
  # shellcheck disable=SC2016 # It is the inner shell that expands.
  trained "$1" 4 sh -c '"$@"; exit $?' script
  check_run "$1" 4
  check_end KILL "$1"
  check_end TERM "$1"
}

test_torchrun() {
  has "$torchrun" || { skip "torchrun, which is not installed" && return; }
  check_launcher torchrun
}

test_open_mpi() {
  [[ -n $open_mpi ]] || { skip "Open MPI, which is not installed" && return; }
  check_launcher open_mpi
}

test_hydra() {
  has mpiexec.hydra || { skip "Hydra, which is not installed" && return; }
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

# A cluster of this machine alone, for the time of the test, in which nobody has to prove who he is.
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
  has srun || { skip "Slurm, which is not installed" && return; }
  if ! is_cluster_ready; then
    may_make_cluster || { skip "Slurm, since no cluster with this machine answers" && return; }
    make_cluster || { skip "Slurm, since no cluster can be made: $(tail -n 1 "$folder"/slurm/*.log)" && return; }
  fi
  check_launcher slurm
  [[ $(srun --mpi=list 2>&1) == *pmi2* ]] || return 0
  trained slurm_with_pmi2 2
  check_run slurm_with_pmi2 2
}

[[ -r /proc/self/environ ]] || { skip "all, since this system does not tell whose processes are left" && exit 77; }
has jq || { skip "all, since jq is not installed" && exit 77; }
forget_launchers
run_tests
[[ $tried != 0 ]] || exit 77
