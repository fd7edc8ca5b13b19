#!/usr/bin/env bash
# usage: bench/aa.sh [N]: N pairs of equal runs (60), measured one after the other and held against each other by `gpubench compare`, and N
# alternations of equal sides by `gpubench ab`; prints how often either says what. Nothing but "equal" and "cannot be told" is right.
#
# GPUBENCH is the program, WORDS the words of a run, ROUNDS the most rounds of an alternation.

set -euo pipefail
# shellcheck source=bench/lib/outcomes.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/outcomes.sh"

count=${1:-60}
read -ra words <<<"${WORDS:---model mlp,cnn --dataset synthetic --limit 4096 --batch 128 --epochs 2 --repeat 4}"
one=("${words[@]}")
for i in "${!words[@]}"; do
  if [[ ${words[i]} == --repeat ]]; then unset 'one[i]' 'one[i+1]'; fi
done
for ((i = 1; i <= count; ++i)); do
  for side in a b; do
    "$GPUBENCH" "${words[@]}" --order-seed "$i" -q -o "$folder/run-$side.json" >/dev/null
  done
  outcomes compare "$folder"/run-[ab].json
  "$GPUBENCH" ab "${one[@]}" --rounds "${ROUNDS:-20}" --order-seed "$i" -q -o "$folder/ab" --vs >/dev/null
  outcomes ab "$folder"/ab-[ab].json
  echo "pair $i of $count" >&2
done
summary
