#!/usr/bin/env bash
# Draws the efficiency of several ranks: their throughput over that of one rank and over their number.
# usage: scripts/plot-efficiency.sh FILE... [-o CHART]
#
#   FILE           result files of gpubench with cases of one rank and of several
#   -o, --output   chart to write, .svg or .png (default efficiency.svg); - prints its table, separated by tabs
#
# example: gpubench suite scale -o scale.json && scripts/plot-efficiency.sh scale.json -o efficiency.png

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

nothing="no file has a case of one rank and the same of several; run: gpubench suite scale -o FILE"
rows='cell("figure") == "strong_efficiency" {
    point(subject() ", strong, batch " cell("batch_size") ", " machine, cell("world_size"), 100 * cell("value")) }
  cell("figure") == "weak_efficiency" {
    point(subject() ", weak, batch " cell("batch_size") / cell("world_size") " a rank, " machine, cell("world_size"), 100 * cell("value")) }'
order="sort -n"
draw="set title 'Efficiency of several ranks'; set xlabel 'ranks'; set ylabel 'efficiency [%]'
  set offsets graph 0.05, graph 0.05, 0, 0; set yrange [0:105<*]; set ytics (0, 20, 40, 60, 80, 100, 120); $lines"
plot efficiency "$@"
