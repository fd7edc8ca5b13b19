#!/usr/bin/env bash
# Draws or prints how many times faster other machines or devices train than the first one, averaged for each model.

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

usage() {
  cat <<'TEXT'
usage: scripts/plot-summary.sh BASELINE FILE... [-o CHART | -o - | --table]

Sums the ratios of plot-speedup.sh up: arithmetic mean (avg), least, greatest and geometric mean, for each model over
its batch sizes and over all of them. The chart has a bar from the least to the greatest ratio with both means.
The baseline is the first file: a CPU stands against its CPU, another device against its first other device, as in
'gpubench compare'; of a single file every device stands against the first one. Cases that failed or have no counterpart
are named or counted on stderr.

  BASELINE, FILE   result files of gpubench
  -o, --output     chart to write, .svg or .png; summary.svg where it is left out
  -o -             the table on stdout instead, columns separated by tabs, with all digits
  --table          the table on stdout instead, to read, with its formulas

examples: scripts/plot-summary.sh laptop.json workstation.json -o summary.png
          scripts/plot-summary.sh laptop.json workstation.json --table
TEXT
}

layout=summary
layers="runs ratios summary"
wanted=speed_ratio
listings=yes
plot summary "$@"
