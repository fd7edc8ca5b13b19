#!/usr/bin/env bash
# Draws the scaling efficiency: throughput of N ranks divided by N times the throughput of one rank.
# usage: scripts/plot-efficiency.sh FILE... [-o CHART]
#
#   FILE          Result files with the same case on one rank and on several
#   -o, --output  Chart file, .svg or .png (default efficiency.svg); - prints the table
#
# example: gpubench suite scale -o scale.json && scripts/plot-efficiency.sh scale.json

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

no_data="no file has the same case on one rank and on several; run: gpubench suite scale -o FILE"
rows='cell("metric") == "strong_efficiency" {
    point(subject() ", strong, batch " cell("batch_size") ", " machine, cell("world_size"), 100 * cell("value")) }
  cell("metric") == "weak_efficiency" {
    point(subject() ", weak, batch " cell("batch_size") / cell("world_size") " per rank, " machine, cell("world_size"), 100 * cell("value")) }'
order="sort -n"
draw="set title 'Scaling efficiency'; set xlabel 'ranks'; set ylabel 'efficiency [%]'
  set offsets graph 0.05, graph 0.05, 0, 0; set yrange [0:105<*]; set ytics (0, 20, 40, 60, 80, 100, 120); $lines"
plot efficiency "$@"
