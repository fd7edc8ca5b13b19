# shellcheck shell=bash
# What scripts/soak.sh does over and over, with its program and injector. The functions here keep the counts.
# shellcheck disable=SC2154  # Who sources this sets them, and root.

failures=0
supervisor=
ways=(nothing kill_worker stop_worker kill_supervisor stop_supervisor memory disk clock)
expected='["mlp:64","mlp:128","cnn:64","cnn:128"]'
sweep_words=(--model "mlp,cnn" --batch "64,128" --epochs 2 --device cpu --limit 512 --threads 1 --dataset synthetic --output run.json --quiet)

open_workshop() {
  workshop=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-soak.XXXXXX")
  counts=$workshop/counts
  : >"$counts"
  # Threads that wait for each other do not spin, so that a busy machine does not make hours of seconds.
  export XDG_CACHE_HOME=$workshop/cache OMP_WAIT_POLICY=PASSIVE
  trap close_workshop EXIT
}

close_workshop() {
  [[ -z $supervisor ]] || kill -KILL "$supervisor" 2>/dev/null || true
  release_disk "$workshop/sweep"
  if ((failures == 0)); then rm -rf "$workshop"; else say "what was found is in $workshop"; fi
}

# count WAY WHAT: a line for print_table.
count() { echo "$@" >>"$counts"; }

# complain WAY SENTENCE: keeps the folder of the sweep.
complain() {
  failures=$((failures + 1))
  say "$1: $2"
  count "$1" complaint
  cp -r "$workshop/sweep" "$workshop/found-$failures"
}

chance() { echo $((RANDOM % $1)); }

# Waits up to so many milliseconds.
pause_up_to() { sleep "$(awk -v ms="$(chance "$1")" 'BEGIN { printf "%.3f", ms / 1000 }')"; }

# --- Ways to disturb: each is called with the number of the process that supervises.

nothing() { :; }

signal_of_chance() {
  local signals=(KILL TERM INT)
  echo "${signals[$(chance 3)]}"
}

# A worker, or the process that workers are copies of; nothing where there is none at the moment.
worker_of() {
  local workers
  read -r -d '' -a workers < <(pgrep -P "$1") || true
  ((${#workers[@]} == 0)) || echo "${workers[$(chance ${#workers[@]})]}"
}

kill_worker() {
  local worker
  worker=$(worker_of "$1")
  [[ -z $worker ]] || kill -"$(signal_of_chance)" "$worker" 2>/dev/null || true
}

stop_and_continue() {
  kill -STOP "$1" 2>/dev/null || return 0
  pause_up_to 3000
  kill -CONT "$1" 2>/dev/null || true
}

stop_worker() {
  local worker
  worker=$(worker_of "$1")
  [[ -z $worker ]] || stop_and_continue "$worker"
}

kill_supervisor() { kill -"$(signal_of_chance)" "$1" 2>/dev/null || true; }

stop_supervisor() { stop_and_continue "$1"; }

# Half of what is free, for two seconds.
memory() {
  local bytes
  bytes=$(awk '/^MemAvailable:/ { printf "%.0f", $2 * 512 }' /proc/meminfo)
  head -c "$bytes" /dev/zero 2>/dev/null | tail -c "$bytes" 2>/dev/null | { sleep 2 && head -c 1 >/dev/null; } || true
}

# Fills the small file system that the sweep writes to, and makes room again.
disk() {
  is_mounted "$workshop/sweep" || return 0
  dd if=/dev/zero of="$workshop/sweep/filler" bs=4096 2>/dev/null || true
  pause_up_to 1000
  rm -f "$workshop/sweep/filler"
}

clock() { :; }

# --- The folder of a sweep.

is_mounted() { grep -qF " $1 " /proc/mounts; }

release_disk() { ! is_mounted "$1" || umount "$1"; }

# new_folder WAY: empty, and for a full disk a small file system where that is allowed.
new_folder() {
  release_disk "$workshop/sweep"
  rm -rf "$workshop/sweep"
  mkdir "$workshop/sweep"
  [[ $1 != disk ]] || mount -t tmpfs -o size=256k gpubench-soak "$workshop/sweep" 2>/dev/null || true
}

# begin WAY WORDS...: runs the program in the folder, in the background. Without a small file system it may write small files only.
begin() {
  local way=$1
  shift
  (
    cd "$workshop/sweep" || exit
    case $way in
      disk) is_mounted "$workshop/sweep" || ulimit -f 24 ;;
      clock) [[ ! -e $injector ]] || export LD_PRELOAD=$injector GPUBENCH_FAULT_CLOCK=5 ;;
      memory) set -- "$@" --memory-limit 256M ;;
    esac
    exec "$program" "$@" >out 2>err
  ) &
  supervisor=$!
}

# --- One sweep.

one_sweep() {
  local way=${ways[$(chance ${#ways[@]})]} status=0
  new_folder "$way"
  begin "$way" "${sweep_words[@]}"
  pause_up_to 2500
  "$way" "$supervisor"
  wait "$supervisor" 2>/dev/null || status=$?
  count "$way" sweep
  continue_sweep "$way" "$status"
  check_sweep "$way"
}

has_plan() { [[ -s $workshop/sweep/run.journal.jsonl ]] && (($(wc -l <"$workshop/sweep/run.journal.jsonl") > 0)); }

# continue_sweep WAY STATUS: until it has ended well; a worker of a killed process may hold the journal for a moment.
continue_sweep() {
  local way=$1 status=$2 tries=0
  while ((status != 0)); do
    ((++tries <= 8)) || { complain "$way" "it does not end well: exit code $status: $(tail -n 1 "$workshop/sweep/err")" && return 0; }
    status=0
    if has_plan; then
      begin nothing --resume run.json --quiet
    else
      begin nothing "${sweep_words[@]}"
    fi
    wait "$supervisor" 2>/dev/null || status=$?
    count "$way" resume
  done
}

left_processes() {
  local process
  for process in /proc/[0-9]*; do
    [[ $(readlink "$process/cwd" 2>/dev/null) != "$workshop/sweep" ]] || echo "${process#/proc/}"
  done
}

# Workers of a process that was killed notice that within a moment.
wait_for_processes() {
  local looks
  for ((looks = 0; looks < 200; ++looks)); do
    [[ -n $(left_processes) ]] || return 0
    sleep 0.1
  done
  return 1
}

check_sweep() {
  local way=$1 found
  found=$(jq -c '[.cases[] | select(.status == "ok") | "\(.model):\(.batch)"]' "$workshop/sweep/run.json" 2>/dev/null) || true
  [[ $found == "$expected" ]] || complain "$way" "cases are $found"
  (cd "$workshop/sweep" && "$program" validate run.json >valid 2>&1) || complain "$way" "$(tail -n 1 "$workshop/sweep/valid")"
  wait_for_processes || complain "$way" "processes are left: $(left_processes | tr '\n' ' ')"
}

# --- One long sweep, watched.

# Resident KiB, and open descriptors.
look_at() {
  local resident descriptors
  resident=$(awk '/^VmRSS:/ { print $2 }' "/proc/$1/status" 2>/dev/null)
  descriptors=$(find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l)
  [[ -z $resident ]] || echo "$resident $descriptors"
}

# watch_long_sweep CASES. Rows are kept in memory, so some growth is right; see long_sweep.awk for how much.
watch_long_sweep() {
  new_folder long
  local least=64
  local most=$((least + $1 - 1))
  begin nothing --model mlp --batch "$(seq -s, "$least" "$most")" --epochs 1 --device cpu --limit "$most" --threads 1 \
    --dataset synthetic --output run.json --quiet
  : >"$workshop/looks"
  while kill -0 "$supervisor" 2>/dev/null; do
    look_at "$supervisor" >>"$workshop/looks" || true
    sleep 0.25
  done
  wait "$supervisor" || complain long "it ends with exit code $?: $(tail -n 1 "$workshop/sweep/err")"
  count long sweep
  awk -v cases="$1" -f "$root/scripts/lib/long-sweep.awk" "$workshop/looks" >&2 || complain long "memory or descriptors grow"
}

# --- The table.

print_table() {
  {
    echo "way sweeps resumes complaints"
    awk '
      { counts[$1, $2]++; ways[$1] }
      END { for (way in ways) print way, counts[way, "sweep"] + 0, counts[way, "resume"] + 0, counts[way, "complaint"] + 0 }
    ' "$counts" | sort
    awk '{ counts[$2]++ } END { print "all", counts["sweep"] + 0, counts["resume"] + 0, counts["complaint"] + 0 }' "$counts"
  } | awk '{ printf "%-16s %8s %8s %11s\n", $1, $2, $3, $4 }'
}
