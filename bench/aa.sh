#!/usr/bin/env bash
# Counts false alarms: compares equal runs and prints how often each verdict occurs.
# usage: GPUBENCH=PROGRAM bench/aa.sh [N]
#
# Measures N pairs (default 60) of equal training runs and of equal operation runs, one after the
# other, and N interleaved pairs with `gpubench ab`. Correct are the verdicts "equal" and
# "inconclusive", and the exit codes 0 and 7 of `compare --gate 5%`.
#
#   WORDS, OPS_WORDS, AB_WORDS  Arguments of training runs, operation runs, and `gpubench ab`
#   ROUNDS                      Maximum number of rounds of `gpubench ab` (default 12)

set -euo pipefail
# shellcheck source=bench/lib/outcomes.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/outcomes.sh"

count=${1:-60}
read -ra run <<<"${WORDS:---model mlp,cnn --dataset synthetic --max-samples 2048 --batch 128 --epochs 2 --repeat 5}"
read -ra ops <<<"ops ${OPS_WORDS:---op matmul,relu --set small --time 0.05s --repeat 5}"
read -ra turns <<<"${AB_WORDS:---model mlp --dataset synthetic --max-samples 20000 --batch 128 --epochs 2}"

# measure_pair KIND WORDS...: writes $folder/KIND-a.json and KIND-b.json, one after the other.
measure_pair() {
  for side in a b; do
    "$GPUBENCH" "${@:2}" -q -o "$folder/$1-$side.json" >/dev/null
  done
}

for ((i = 1; i <= count; ++i)); do
  rm -rf "$folder"/{run,ops,ab}*
  measure_pair run "${run[@]}" --seed "$i"
  count_verdicts compare "$folder"/run-[ab].json
  count_gate "$folder"/run-[ab].json
  measure_pair ops "${ops[@]}"
  count_ops_verdicts "$folder"/ops-[ab].json
  "$GPUBENCH" ab "${turns[@]}" --rounds "${ROUNDS:-12}" --seed "$i" -q -o "$folder/ab" --vs >/dev/null
  count_verdicts ab "$folder"/ab-[ab].json
  echo "pair $i of $count" >&2
done
summary
