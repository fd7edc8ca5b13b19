#!/usr/bin/env bash
# Whether results are read in linear time: makes documents of ever more cases and epochs, times what reads them, and says how many times as long
# ten times as much takes.
# usage: bench/large.sh [COUNT...]   (1000 10000 where none is named; 100000 takes 5 GB of memory)
#
#   COUNT  of cases, of three epochs each; then of epochs, in each of 100 cases
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
gpubench=${GPUBENCH:-$root/build/release/gpubench}
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-large.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$gpubench" --model mlp --dataset synthetic --max-samples 512 --epochs 3 --device cpu --no-store -q -o one.json >/dev/null

# many CASES EPOCHS: a document of so many cases of so many epochs, with a checksum.
many() {
  jq -c --argjson cases "$1" --argjson epochs "$2" '
    def stretched: if $epochs == 0 then . else [range($epochs)] | map(1 + . % 97 / 9700) end;
    .results[0] as $case | del(.content_sha256) |
    .results = [range($cases) as $i | $case | .asked.batch_size = $i + 1 | .samples.epoch_seconds |= stretched
      | if $epochs == 0 then . else .asked.epochs = $epochs | del(.samples.block_seconds, .samples.block_steps) | .facts.blocks_per_epoch = null end]' one.json >raw.json
  "$gpubench" file anonymize raw.json -o many.json --force 2>/dev/null
}

# seconds WORDS...: of the processor; what else runs on the machine does not count.
seconds() {
  local TIMEFORMAT='%U %S'
  { time "$gpubench" "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

declare -A former=()
# row WHAT COMMAND WORDS...
row() {
  local what=$1 command=$2 took
  shift 2
  took=$(seconds "$@")
  printf '%-22s %-10s %8.2f s  %s\n' "$what" "$command" "$took" \
    "$(awk -v now="$took" -v before="${former[$command]:-0}" 'BEGIN { if (before > 0) printf "%.1f times as long", now / before }')"
  former[$command]=$took
}

# rows WHAT: each command that reads a result.
rows() {
  row "$1" show show many.json
  row "$1" csv show --format csv many.json
  row "$1" compare compare many.json many.json
  row "$1" report report many.json -q -o report.html
  row "$1" anonymize file anonymize many.json
  row "$1" validate file validate many.json
}

if (($# == 0)); then set -- 1000 10000; fi
for count in "$@"; do
  [[ $count =~ ^([1-9][0-9]{0,4}|100000)$ ]] || { echo "bench/large.sh: $count: counts go from 1 to 100000" >&2; exit 2; }
done
for count in "$@"; do
  many "$count" 0
  rows "$count cases"
done
former=()
for count in "$@"; do
  many 100 "$count"
  rows "$((100 * count)) epochs"
done
