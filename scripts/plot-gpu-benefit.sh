#!/usr/bin/env bash
# Draws how many times faster the GPUs of a file train than its CPU.

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

usage() {
  cat <<'TEXT'
usage: scripts/plot-gpu-benefit.sh FILE... [-o CHART]

Draws a bar for each model, batch size and GPU: the median epoch time on the CPU of the same file divided by the one
on the GPU, so 2 is twice as fast. The geometric mean over the bars stands beside each GPU. Cases that failed or have
no counterpart are named or counted on stderr.

  FILE             result files of gpubench with cases of a CPU and of another device, or published figures
  -o, --output     chart to write, .svg or .png; gpu-benefit.svg where it is left out

example: scripts/plot-gpu-benefit.sh results/*.json -o gpu-benefit.png
TEXT
}

layout=ratio-bars
layers="runs ratios ratio-bars"
wanted=gpu_benefit
plot gpu-benefit "$@"
