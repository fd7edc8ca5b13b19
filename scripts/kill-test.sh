#!/usr/bin/env bash
# Tests resuming: kills runs of 12 tiny cases with two repeats at random times and continues them
# with 'gpubench --resume'. After each kill, the store must pass SQLite's integrity check. At the
# end of each run, result file and store must contain every repeat once, with equal content.
# Otherwise exits with 1 and keeps its folder. Linux only.
# usage: scripts/kill-test.sh [N] [--seed N]
#
#   N         Number of kills (default 200; a few seconds each with the real worker)
#   --seed N  Seed of the random times, to repeat an earlier test (default: random, and printed)
#
# GPUBENCH is the program (default: the one that scripts/test.sh built). GPUBENCH_WORKER_PREFIX may
# be the fake worker of tests/support.

set -euo pipefail
# shellcheck source=scripts/lib/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/build.sh"

kills=200
seed=$RANDOM
while (($#)); do
  case $1 in
    --seed) seed=${2:-} && shift ;;
    -h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" && exit ;;
    *) kills=$1 ;;
  esac
  shift || refuse "--seed: its value is missing; see scripts/kill-test.sh --help"
done
[[ $kills =~ ^[0-9]+$ && $seed =~ ^[0-9]+$ ]] || refuse "N $kills, --seed $seed: not whole numbers; see scripts/kill-test.sh --help"
if ! have python3 || ! have setsid; then refuse "python3 or setsid is missing; install it"; fi
program=${GPUBENCH:-$build_folder/gpubench}
[[ -x $program ]] || refuse "$program is missing; build it with scripts/test.sh, or set GPUBENCH to a program"

folder=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-kill.XXXXXX")
supervisor=
trap 'kill_all; say "see $folder"' EXIT
export GPUBENCH_STORE=$folder/host.sqlite XDG_CACHE_HOME=$folder/cache OMP_WAIT_POLICY=PASSIVE
sweep=(--model mlp --batch "4,8,12,16,20,24,28,32,40,48,56,64" --repeat 2 --epochs 1 --device cpu --max-samples 64 --threads 1
  --dataset synthetic --quiet)
killed=0 sweeps=0 longest=0

kill_all() { [[ -z $supervisor ]] || kill -KILL -- "-$supervisor" 2>/dev/null || kill -KILL "$supervisor" 2>/dev/null || true; }

# begin WORD...: starts the program in its own process group.
begin() {
  setsid "$program" "$@" >>"$folder/out" 2>&1 &
  supervisor=$!
}

# print_state OUTPUT: prints the state of the run in the store: missing, unfinished or finished.
print_state() {
  python3 - "$GPUBENCH_STORE" "$1" <<'PYTHON'
import os, sqlite3, sys
path, output = sys.argv[1:]
runs = []
if os.path.exists(path) and os.path.getsize(path) > 0:
    store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    if (found := store.execute("PRAGMA integrity_check").fetchall()) != [("ok",)]:
        sys.exit(f"the store is damaged: {found}")
    if store.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'run'").fetchone()[0]:
        runs = store.execute("SELECT finished_at FROM run WHERE output = ?", (output,)).fetchall()
if len(runs) > 1:
    sys.exit(f"{output} has {len(runs)} runs")
print("missing" if not runs else "finished" if runs[0][0] else "unfinished")
PYTHON
}

# check OUTPUT: fails unless result file and store contain each row once, with equal content.
check() {
  "$program" file validate "$1" >>"$folder/out" 2>&1 || fail "$1 is not valid: $(tail -n 1 "$folder/out")"
  python3 - "$GPUBENCH_STORE" "$1" "${sweep[3]}" <<'PYTHON'
import json, sqlite3, sys
path, output, batches = sys.argv[1:]
document = json.load(open(output))
store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
query = "SELECT record FROM row WHERE run = (SELECT id FROM run WHERE output = ?) AND has_ended ORDER BY position"
stored = [json.loads(text) for (text,) in store.execute(query, (output,))]
rows = document["results"]
found = sorted((row["asked"]["batch_size"], row["asked"]["repeat"]) for row in rows if row["status"] == "ok")
if found != [(int(batch), repeat) for batch in batches.split(",") for repeat in (1, 2)]:
    sys.exit(f"rows are {found}")
raw = lambda row: {key: value for key, value in row.items() if key not in ("figures", "missing")}
if [raw(row) for row in rows] != [raw(row) for row in stored]:
    sys.exit(f"{output} and the store differ")
if not document["tool"]["finished_at"]:
    sys.exit(f"{output} has no finish time")
PYTHON
}

# run_or_kill WORD...: runs the program, and kills it at a random time if kills are left.
run_or_kill() {
  local status=0 moment
  begin "$@"
  if ((killed < kills)); then
    moment=$((longest * (RANDOM % 1000) / 1000))
    sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
    kill_all
  fi
  wait "$supervisor" 2>/dev/null || status=$?
  supervisor=
  if ((status == 137)); then killed=$((killed + 1)); fi
  ((status == 0 || status == 137)) || fail "exit code $status: $(tail -n 1 "$folder/out")"
}

one_sweep() {
  local output=$folder/run-$sweeps.json state=missing
  while [[ $state != finished ]]; do
    if [[ $state == missing ]]; then run_or_kill "${sweep[@]}" --output "$output"; else run_or_kill --resume --quiet; fi
    [[ $state == missing || $(print_state "$output") != missing ]] || fail "$output is lost"
    state=$(print_state "$output")
  done
  check "$output"
  sweeps=$((sweeps + 1))
}

say "seed $seed"
RANDOM=$seed
begun=$(date +%s%3N)
limit=$kills kills=0
one_sweep
kills=$limit
# A third of a whole run: some processes are killed before their first row, some after several.
longest=$((($(date +%s%3N) - begun) / 3))
while ((killed < kills)); do one_sweep; done
say "$killed kills, $sweeps runs, all rows are complete"
trap - EXIT
rm -rf "$folder"
