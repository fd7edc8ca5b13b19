#!/usr/bin/env bash
# Draws how many times faster each device trains in smaller number formats than in fp32.
# usage: scripts/plot-precision-gain.sh FILE... [-o CHART]
#
# A bar is the median epoch time in fp32 divided by the one in the other precision, of the same file, device and modes: 2 is twice as fast.
#
#   FILE           result files of gpubench, with fp32 and at least one other precision
#   -o, --output   chart to write, .svg or .png (default precision-gain.svg); - prints its table, separated by tabs
#
# example: scripts/plot-precision-gain.sh results/*.json -o precision-gain.png

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

nothing="no case was measured in fp32 and in another precision on one device; run gpubench with --precision fp32,amp-bf16"
rows='cell("figure") == "precision_gain" { ratio(cell("precision") ", " machine) }'
draw="set title 'Speed over fp32'; set ylabel 'epoch time in fp32 / epoch time'; $bars"
plot precision-gain "$@"
