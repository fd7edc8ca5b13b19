#!/usr/bin/env bash
# Draws the speed-up of machines or devices over a baseline.
# usage: scripts/plot-speedup.sh BASELINE FILE... [-o CHART]
#
# Each bar is the median epoch time of the baseline divided by that of the device. A value of 2
# means twice as fast. A CPU is compared with the CPU of the first file, and another device with the
# first other device of that file. With a single file, all devices are compared with its first one.
#
#   BASELINE, FILE  Result files
#   -o, --output    Chart file, .svg or .png (default speedup.svg); - prints the table
#
# example: scripts/plot-speedup.sh laptop.json workstation.json -o speedup.png

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

no_data="no two devices have a common case; give files with equal model, dataset, batch size, precision, layout and execution"
rows='cell("metric") == "speed_ratio" { ratio(machine " over " machines[cell("against")]) }'
draw="set title 'Speed-up'; set ylabel 'epoch time of the baseline / epoch time'; $bars"
plot speedup "$@"
