#!/usr/bin/env bash
# Creates a large store and prints the median time of five calls of each command that reads it.
# usage: bench/history.sh [RUNS [ROWS]]
#
#   RUNS, ROWS  Number of runs, and of rows per run (default 10000 and 100: 2 minutes, 3 GB of disk)
#   GPUBENCH    Program (default build/release/gpubench)
#   STORE       File of the store, which is kept; an existing store is used unchanged
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
gpubench=${GPUBENCH:-$root/build/release/gpubench}
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-history.XXXXXX")
trap 'rm -rf "$folder"' EXIT
export GPUBENCH_STORE=${STORE:-$folder/store.sqlite}

# make_store RUNS ROWS: imports one run and copies it with SQL, with other dates, ids and values.
make_store() {
  jq -c --argjson rows "$2" 'del(.content_sha256) | .results[0] as $case
    | .results = [range($rows) as $i | $case | .asked.batch_size = $i + 1]' \
    "$root/tests/fixtures/results/alpha-cpu.json" >"$folder/one.json"
  "$gpubench" history import "$folder/one.json"
  python3 - "$GPUBENCH_STORE" "$1" <<'PYTHON'
import datetime, random, sqlite3, sys
path, runs = sys.argv[1], int(sys.argv[2])
random.seed(1)
database = sqlite3.connect(path)
database.execute("PRAGMA synchronous = OFF")
metrics = {"time": 2.4, "energy": 120.0, "startup": 1.5, "memory": 6e8}
series = [row[0] for row in database.execute("SELECT id FROM series")]
header, = database.execute("SELECT header FROM run WHERE id = 1").fetchone()
for run in range(2, runs + 1):
    start = datetime.datetime(2020, 1, 1) + datetime.timedelta(hours=5 * run)
    text = start.strftime("%Y-%m-%dT%H:%M:%SZ")
    database.execute("INSERT INTO run (id, run_id, kind, started_at, finished_at, output, is_indexed, header) "
                     "VALUES (?, ?, 'training', ?, ?, '', 1, ?)",
                     (run, f"{run:032x}", text, text, header.replace("2024-02-03T04:05:06Z", text)))
    database.execute("INSERT INTO row (run, position, started_at, has_ended, record) "
                     "SELECT ?, position, ?, 1, record FROM row WHERE run = 1", (run, text))
    points = [(one, text, run, metric, value * random.gauss(1, 0.01)) for one in series
              for metric, value in metrics.items()]
    database.executemany("INSERT INTO point (series, started_at, run, metric, value, processes, is_warned) "
                         "VALUES (?, ?, ?, ?, ?, 3, 0)", points)
database.execute("UPDATE series SET runs = ?", (runs,))
database.commit()
PYTHON
}

# time_it NAME WORDS...: prints the median seconds of five calls.
time_it() {
  local name=$1 times=() TIMEFORMAT='%R'
  shift
  for _ in 1 2 3 4 5; do times+=("$({ time "$gpubench" "$@" >/dev/null 2>"$folder/errors" || true; } 2>&1)"); done
  printf '%-32s %6.3f s  %s\n' "$name" "$(printf '%s\n' "${times[@]}" | sort -n | sed -n 3p)" "$(head -c 60 "$folder/errors")"
}

[ -s "$GPUBENCH_STORE" ] || make_store "${1:-10000}" "${2:-100}"
printf 'store of %s\n' "$(du -h "$GPUBENCH_STORE" | cut -f 1)"
time_it 'history list' history list
time_it 'history list --runs' history list --runs --format csv
time_it 'history show' history show 1
time_it 'history show, 200 runs' history show 1 --last 200 --metric time,energy,startup,memory
time_it 'history check' history check
if "$gpubench" trend --help >/dev/null 2>&1; then time_it 'trend' trend; fi
time_it 'help' --help
