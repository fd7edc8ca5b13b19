#!/usr/bin/env bash
# usage: bench/planted.sh [N]: N alternations (40) of a program with itself, whose process is stopped for 18 ms after every 182 ms on side
# B, so that it is 10 % slower; prints how many find that, and the median of rounds and minutes.
#
# GPUBENCH is the program, WORDS the words of both sides, ROUNDS the most rounds, RUN and STOP the seconds of the planted slowdown.

set -euo pipefail
# shellcheck source=bench/lib/outcomes.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/outcomes.sh"

count=${1:-40}
read -ra words <<<"${WORDS:---model mlp --dataset synthetic --max-samples 20000 --batch 128 --epochs 4}"
# The worker of side B trains, so it is the one that is slowed.
printf '#!/bin/sh\nGPUBENCH_WORKER_PREFIX="%s %s %s" exec "$@"\n' "$(realpath "$(dirname "${BASH_SOURCE[0]}")/lib/slowed.sh")" \
  "${RUN:-0.182}" "${STOP:-0.018}" >"$folder/slowed"
chmod +x "$folder/slowed"
for ((i = 1; i <= count; ++i)); do
  rm -rf "$folder"/ab*
  SECONDS=0
  "$GPUBENCH" ab "${words[@]}" --rounds "${ROUNDS:-60}" --seed "$i" -q -o "$folder/ab" --vs --wrapper "$folder/slowed" >/dev/null
  outcomes ab "$folder"/ab-[ab].json
  rounds=$(grep -c '"repeat":' "$folder/ab-a.json")
  echo "$rounds $SECONDS" >>"$folder/lengths"
  echo "alternation $i of $count: $rounds rounds, $SECONDS s, $(tail -n 1 "$folder/outcomes")" >&2
done
summary
echo "median of rounds: $(cut -d' ' -f1 "$folder/lengths" | median)"
echo "median of minutes: $(cut -d' ' -f2 "$folder/lengths" | median | awk '{ printf "%.1f\n", $1 / 60 }')"
