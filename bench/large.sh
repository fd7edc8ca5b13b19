#!/usr/bin/env bash
# Checks that results are read in linear time: creates result files of growing size, times the
# commands that read them, and prints each time relative to the previous size.
# usage: bench/large.sh [COUNT...]
#
#   COUNT  Number of cases with three epochs each, and then of epochs in each of 100 cases (default
#          1000 and 10000; 100000 takes 5 GB of memory)
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
gpubench=${GPUBENCH:-$root/build/release/gpubench}
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-large.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$gpubench" --model mlp --dataset synthetic --max-samples 512 --epochs 3 --device cpu --no-store -q -o one.json >/dev/null

# many CASES EPOCHS: writes the result file many.json; EPOCHS 0 keeps the measured epochs.
many() {
  jq -c --argjson cases "$1" --argjson epochs "$2" '
    def stretched: if $epochs == 0 then . else [range($epochs)] | map(1 + . % 97 / 9700) end;
    .results[0] as $case | del(.content_sha256) |
    .results = [range($cases) as $i | $case | .asked.batch_size = $i + 1 | .samples.epoch_seconds |= stretched
      | if $epochs == 0 then . else .asked.epochs = $epochs | del(.samples.block_seconds, .samples.block_steps) | .facts.blocks_per_epoch = null end]' one.json >raw.json
  "$gpubench" file anonymize raw.json -o many.json --force 2>/dev/null
}

# seconds WORDS...: prints the CPU seconds of a gpubench call, which other load hardly affects.
seconds() {
  local TIMEFORMAT='%U %S'
  { time "$gpubench" "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

declare -A former=()
# row WHAT COMMAND WORDS...: times a gpubench call and prints a line.
row() {
  local what=$1 command=$2 took
  shift 2
  took=$(seconds "$@")
  printf '%-22s %-10s %8.2f s  %s\n' "$what" "$command" "$took" \
    "$(awk -v now="$took" -v before="${former[$command]:-0}" 'BEGIN { if (before > 0) printf "%.1fx", now / before }')"
  former[$command]=$took
}

# rows WHAT: times each command that reads a result file.
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
  [[ $count =~ ^([1-9][0-9]{0,4}|100000)$ ]] || { echo "bench/large.sh: $count: not a valid count; give 1 to 100000" >&2; exit 2; }
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
