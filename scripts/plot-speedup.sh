#!/usr/bin/env bash
# Draws how many times faster other machines or devices train than the first one.

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

usage() {
  cat <<'TEXT'
usage: scripts/plot-speedup.sh BASELINE FILE... [-o CHART]

Draws a bar for each model and batch size that a device has in common with the baseline: the baseline's median
epoch time divided by the device's own, so 2 is twice as fast. The geometric mean over the bars stands beside it.
The baseline is the first file: a CPU stands against its CPU, another device against its first other device, as in
'gpubench compare'; of a single file every device stands against the first one. Cases that failed or have no counterpart
are named or counted on stderr.

  BASELINE, FILE   result files of gpubench
  -o, --output     chart to write, .svg or .png; speedup.svg where it is left out

example: scripts/plot-speedup.sh laptop.json workstation.json -o speedup.png
TEXT
}

layout=ratio-bars
layers="runs ratios ratio-bars"
wanted=speed_ratio
plot speedup "$@"
