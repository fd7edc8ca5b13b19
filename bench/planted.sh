#!/usr/bin/env bash
# Counts how often `gpubench ab` detects a planted slowdown of 10 %: the worker of variant B is
# stopped for 18 ms after every 182 ms. Prints the verdicts and the median rounds and minutes.
# usage: GPUBENCH=PROGRAM bench/planted.sh [N]
#
#   N          Number of `gpubench ab` runs (default 40)
#   WORDS      Arguments of both variants
#   ROUNDS     Maximum number of rounds (default 60)
#   RUN, STOP  Seconds between stops, and of a stop (default 0.182 and 0.018)

set -euo pipefail
# shellcheck source=bench/lib/outcomes.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/outcomes.sh"

count=${1:-40}
read -ra words <<<"${WORDS:---model mlp --dataset synthetic --max-samples 20000 --batch 128 --epochs 4}"
# Slow down the worker of variant B, which is the process that trains.
printf '#!/bin/sh\nGPUBENCH_WORKER_PREFIX="%s %s %s" exec "$@"\n' "$(realpath "$(dirname "${BASH_SOURCE[0]}")/lib/slowed.sh")" \
  "${RUN:-0.182}" "${STOP:-0.018}" >"$folder/slowed"
chmod +x "$folder/slowed"
for ((i = 1; i <= count; ++i)); do
  rm -rf "$folder"/ab*
  SECONDS=0
  "$GPUBENCH" ab "${words[@]}" --rounds "${ROUNDS:-60}" --seed "$i" -q -o "$folder/ab" --vs --wrapper "$folder/slowed" >/dev/null
  count_verdicts ab "$folder"/ab-[ab].json
  rounds=$(grep -c '"repeat":' "$folder/ab-a.json")
  echo "$rounds $SECONDS" >>"$folder/lengths"
  echo "run $i of $count: $rounds rounds, $SECONDS s, $(tail -n 1 "$folder/outcomes")" >&2
done
summary
echo "median number of rounds: $(cut -d' ' -f1 "$folder/lengths" | median)"
echo "median duration in minutes: $(cut -d' ' -f2 "$folder/lengths" | median | awk '{ printf "%.1f\n", $1 / 60 }')"
