#!/usr/bin/env bash
# Draws the median epoch time by batch size, a line for each model and device.
# usage: scripts/plot-epoch-time.sh FILE... [-o CHART]
#
#   FILE           result files of gpubench, of one or more machines
#   -o, --output   chart to write, .svg or .png (default epoch-time.svg); - prints its table, separated by tabs
#
# example: scripts/plot-epoch-time.sh results/*.json -o epoch-time.png

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

nothing="no case ended well; name a file with a case that did"
rows='cell("figure") == "epoch_seconds" { point(subject() ", " machine, cell("batch_size"), cell("value")) }'
order="sort -n"
draw="set title 'Epoch time'; set xlabel 'batch size [samples]'; set ylabel 'median epoch [s]'; set logscale y; $lines"
plot epoch-time "$@"
