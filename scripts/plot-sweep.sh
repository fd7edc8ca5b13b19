#!/usr/bin/env bash
# Draws the FLOP/s of square matrix products by size, with a line for each type and device.
# usage: scripts/plot-sweep.sh FILE... [-o CHART]
#
#   FILE          Result files of 'gpubench ops --sweep' of one or more machines
#   -o, --output  Chart file, .svg or .png (default sweep.svg); - prints the table
#
# example: gpubench ops --sweep 256:8192:*2 -o sweep.json && scripts/plot-sweep.sh sweep.json

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

kind=operations
no_data="no file has timed square matrix products; run: gpubench ops --sweep 256:4096:*2 -o FILE"
rows='
  { side = cell("sizes") + 0 }
  cell("metric") == "flops_per_second" && cell("op") == "matmul" && cell("sizes") == side "x" side " " side "x" side {
    point((cell("variant") == "" ? cell("type") : cell("variant")) ", " machine, side, cell("value") == "" ? "" : cell("value") / 1e12) }'
order="sort -n"
draw="set title 'Square matrix products'; set xlabel 'rows and columns of each matrix'; if (largest < 1) { factor = 1000 }
  set ylabel factor == 1 ? 'rate [TFLOP/s]' : 'rate [GFLOP/s]'; $log_y; $lines"
plot sweep "$@"
