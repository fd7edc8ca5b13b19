#!/usr/bin/env bash
# Draws the median epoch time by batch size, with a line for each model and device.
# usage: scripts/plot-epoch-time.sh FILE... [-o CHART]
#
#   FILE          Result files of one or more machines
#   -o, --output  Chart file, .svg or .png (default epoch-time.svg); - prints the table
#
# example: scripts/plot-epoch-time.sh results/*.json -o epoch-time.png

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

no_data="no file has a successful case; give a file with one"
rows='cell("metric") == "median_epoch_seconds" { point(subject() ", " machine, cell("batch_size"), cell("value")) }'
order="sort -n"
draw="set title 'Epoch time'; set xlabel 'batch size [samples]'; set ylabel 'median epoch [s]'; $log_y; $lines"
plot epoch-time "$@"
