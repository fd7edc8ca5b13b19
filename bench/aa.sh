#!/usr/bin/env bash
# usage: bench/aa.sh [N]: N pairs (60) of equal runs, of equal tables of operations and of equal sides in alternation. The first two are
# measured one after the other; `gpubench compare`, its gate of 5 % and `gpubench ab` are asked what they say of them, and how often either says
# what is printed. Nothing but "equal" and "cannot be told" is right, and of gates nothing but exit codes 0 and 7.
#
# GPUBENCH is the program; WORDS, OPS_WORDS and AB_WORDS are the words of what is measured, ROUNDS the most rounds of an alternation.

set -euo pipefail
# shellcheck source=bench/lib/outcomes.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/outcomes.sh"

count=${1:-60}
read -ra run <<<"${WORDS:---model mlp,cnn --dataset synthetic --max-samples 2048 --batch 128 --epochs 2 --repeat 5}"
read -ra ops <<<"ops ${OPS_WORDS:---op matmul,relu --set small --time 0.05s --repeat 5}"
read -ra turns <<<"${AB_WORDS:---model mlp --dataset synthetic --max-samples 20000 --batch 128 --epochs 2}"

# sides KIND WORDS...: $folder/KIND-a.json and -b.json, one after the other.
sides() {
  for side in a b; do
    "$GPUBENCH" "${@:2}" -q -o "$folder/$1-$side.json" >/dev/null
  done
}

for ((i = 1; i <= count; ++i)); do
  rm -rf "$folder"/{run,ops,ab}*
  sides run "${run[@]}" --seed "$i"
  outcomes compare "$folder"/run-[ab].json
  outcome_of_gate "$folder"/run-[ab].json
  sides ops "${ops[@]}"
  outcomes_of_ops "$folder"/ops-[ab].json
  "$GPUBENCH" ab "${turns[@]}" --rounds "${ROUNDS:-12}" --seed "$i" -q -o "$folder/ab" --vs >/dev/null
  outcomes ab "$folder"/ab-[ab].json
  echo "pair $i of $count" >&2
done
summary
