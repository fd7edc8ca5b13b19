#!/usr/bin/env bash
# Draws how many times faster each device trains in smaller number formats than in fp32.

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

usage() {
  cat <<'TEXT'
usage: scripts/plot-precision-gain.sh FILE... [-o CHART]

Draws a bar for each model, batch size, device and precision (tf32, bf16, fp16, amp-bf16, amp-fp16): the median epoch
time in fp32 divided by the one in that precision, of the same file, device and modes; so 2 is twice as fast. The
geometric mean over the bars stands beside each device and precision. Cases that failed or have no counterpart are
named or counted on stderr.

  FILE             result files of gpubench, with fp32 and at least one other precision
  -o, --output     chart to write, .svg or .png; precision-gain.svg where it is left out

example: scripts/plot-precision-gain.sh results/*.json -o precision-gain.png
TEXT
}

layout=ratio-bars
layers="runs ratios ratio-bars"
wanted=precision_gain
plot precision-gain "$@"
