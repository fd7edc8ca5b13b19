#!/usr/bin/env bash
# Draws how many times faster the GPUs of a file train than its CPU.
# usage: scripts/plot-gpu-benefit.sh FILE... [-o CHART]
#
# A bar is the median epoch time on the CPU of the same file divided by the one on the GPU: 2 is twice as fast.
#
#   FILE           result files of gpubench with cases of a CPU and of another device, or published figures
#   -o, --output   chart to write, .svg or .png (default gpu-benefit.svg); - prints its table, separated by tabs
#
# example: scripts/plot-gpu-benefit.sh results/*.json -o gpu-benefit.png

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

nothing="no file has a case of a CPU and of another device; run gpubench with --device cpu,cuda or cpu,mps"
rows='cell("figure") == "gpu_benefit" { ratio(machine " over " machines[cell("against")]) }'
draw="set title 'Speed of the GPU over the CPU'; set ylabel 'epoch time on CPU / epoch time on GPU'; $bars"
plot gpu-benefit "$@"
