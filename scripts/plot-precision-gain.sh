#!/usr/bin/env bash
# Draws the speed-up of lower precisions over fp32 on the same device.
# usage: scripts/plot-precision-gain.sh FILE... [-o CHART]
#
# Each bar is the median epoch time in fp32 divided by that in the other precision, with the same
# file, device, layout and execution. A value of 2 means twice as fast.
#
#   FILE          Result files with fp32 and at least one other precision
#   -o, --output  Chart file, .svg or .png (default precision-gain.svg); - prints the table
#
# example: scripts/plot-precision-gain.sh results/*.json -o precision-gain.png

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

no_data="no file has the same case in fp32 and in another precision; run gpubench with --precision fp32,amp-bf16"
rows='cell("metric") == "precision_gain" { ratio(cell("precision") ", " machine) }'
draw="set title 'Speed-up over fp32'; set ylabel 'epoch time in fp32 / epoch time'; $bars"
plot precision-gain "$@"
