#!/usr/bin/env bash
# Draws how many times faster other machines or devices train than the first one.
# usage: scripts/plot-speedup.sh BASELINE FILE... [-o CHART]
#
# A bar is the median epoch time of the baseline divided by the one of the device: 2 is twice as fast. A CPU is compared with the CPU of the
# first file, another device with its first other device; in a single file, all devices with the first one.
#
#   BASELINE, FILE   result files of gpubench
#   -o, --output     chart to write, .svg or .png (default speedup.svg); - prints its table, separated by tabs
#
# example: scripts/plot-speedup.sh laptop.json workstation.json -o speedup.png

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

nothing="no two devices have a case in common; name result files with the same cases (model, dataset, batch, precision, modes)"
rows='cell("figure") == "speed_ratio" { ratio(machine " over " machines[cell("against")]) }'
draw="set title 'Speed-up'; set ylabel 'epoch time of the baseline / epoch time'; $bars"
plot speedup "$@"
