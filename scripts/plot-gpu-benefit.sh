#!/usr/bin/env bash
# Draws the speed-up of each GPU over the CPU of the same machine.
# usage: scripts/plot-gpu-benefit.sh FILE... [-o CHART]
#
# Each bar is the median epoch time on the CPU divided by that on the GPU, both in the same file. A
# value of 2 means twice as fast.
#
#   FILE          Result files with cases on a CPU and on another device, or published figures
#   -o, --output  Chart file, .svg or .png (default gpu-benefit.svg); - prints the table
#
# example: scripts/plot-gpu-benefit.sh results/*.json -o gpu-benefit.png

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

no_data="no file has the same case on a CPU and on another device; run gpubench with --device cpu,cuda or cpu,mps"
rows='cell("metric") == "gpu_benefit" { ratio(machine " over " machines[cell("against")]) }'
draw="set title 'Speed-up of the GPU over the CPU'; set ylabel 'epoch time on CPU / epoch time on GPU'; $bars"
plot gpu-benefit "$@"
