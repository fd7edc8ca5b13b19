#!/usr/bin/env bash
# usage: bench/sessions.sh [FOLDER]: 12 sessions of three trainings of about two seconds, the last 6 with one thread, into a store of their
# own; then `gpubench trend`, which is to find the change at session 7 and to name the threads. FOLDER (a new one) gets store and results.
#
# GPUBENCH is the program, SESSIONS the number of sessions before and after the change (6), PAUSE the seconds between two (5), THREADS the
# threads after the change (1).

set -euo pipefail

: "${GPUBENCH:?the program to measure, such as build/release/gpubench}"
folder=${1:-$(mktemp -d "${TMPDIR:-/tmp}/gpubench-sessions.XXXXXX")}
mkdir -p "$folder/results"
export GPUBENCH_STORE=$folder/store.sqlite
count=${SESSIONS:-6}

cat >"$folder/sessions.json" <<'END'
{
  "summary": "three trainings of about two seconds on two CPU cores",
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
# Those that a run did not record by itself.
"$GPUBENCH" history import "$folder/results" >&2
"$GPUBENCH" trend
status=0
"$GPUBENCH" trend --gate 5% >/dev/null || status=$?
echo "exit code of 'gpubench trend --gate 5%': $status; all of it is in $folder"
