#!/usr/bin/env bash
# Tests `gpubench trend` on real runs: 6 sessions of three short training runs, then 6 sessions with
# one thread. The trend must report a change at session 7 and name the threads as its cause.
# usage: GPUBENCH=PROGRAM bench/sessions.sh [FOLDER]
#
#   FOLDER    Folder for the store and the results (default: a new one)
#   SESSIONS  Number of sessions before and after the change (default 6)
#   PAUSE     Seconds between two sessions (default 5)
#   THREADS   Number of threads after the change (default 1)

set -euo pipefail

: "${GPUBENCH:?is not set; give the program, such as build/release/gpubench}"
folder=${1:-$(mktemp -d "${TMPDIR:-/tmp}/gpubench-sessions.XXXXXX")}
mkdir -p "$folder/results"
export GPUBENCH_STORE=$folder/store.sqlite
count=${SESSIONS:-6}

cat >"$folder/sessions.json" <<'END'
{
  "summary": "three training runs of about two seconds on two CPU cores",
  "groups": [
    {"model": "mlp", "batch_size": 128, "dataset": "synthetic", "max_samples": 12800, "epochs": 4},
    {"model": "cnn", "batch_size": 128, "dataset": "synthetic", "max_samples": 1280, "epochs": 4},
    {"model": "lstm", "batch_size": 128, "dataset": "synthetic", "max_samples": 1920, "epochs": 4}
  ]
}
END

# session NUMBER WORDS...
session() {
  "$GPUBENCH" suite "$folder/sessions.json" --device cpu "${@:2}" -q -o "$folder/results/session-$1.json" >/dev/null
  echo "session $1 of $((2 * count))" >&2
  sleep "${PAUSE:-5}"
}

for ((i = 1; i <= count; ++i)); do session "$i"; done
for ((i = count + 1; i <= 2 * count; ++i)); do session "$i" --threads "${THREADS:-1}"; done
# Imports runs that are missing in the store.
"$GPUBENCH" history import "$folder/results" >&2
"$GPUBENCH" trend
status=0
"$GPUBENCH" trend --gate 5% >/dev/null || status=$?
echo "exit code of 'gpubench trend --gate 5%': $status; store and results are in $folder"
