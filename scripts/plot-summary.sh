#!/usr/bin/env bash
# Draws the mean and range of the speed-up of each model over its batch sizes, and of all models
# together.
# usage: scripts/plot-summary.sh BASELINE FILE... [-o CHART]
#
# Each whisker spans the ratios of scripts/plot-speedup.sh, not a confidence interval. The square
# is the geometric mean, the cross the arithmetic mean.
#
#   BASELINE, FILE  Result files
#   -o, --output    Chart file, .svg or .png (default summary.svg); - prints the table
#
# example: scripts/plot-summary.sh laptop.json workstation.json -o summary.png

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

no_data="no two devices have a common case; give files with equal model, dataset, batch size, precision, layout and execution"
rows='
  function add(what, column) { point(machine " over " machines[cell("against")] ": " what, subject() == "" ? "overall" : subject(), cell(column)) }
  cell("metric") == "speed_ratio" && cell("scope") != "case" {
    add("geometric mean, whiskers: smallest to largest ratio", "value"); add("arithmetic mean", "mean"); add("min", "min"); add("max", "max") }'
draw="set title 'Speed-up by model: means and range over the cases, without confidence intervals'; set ylabel 'epoch time of the baseline / epoch time'; $log_y
  place(s) = column(0) - 0.3 + 0.6 * (s + 0.5) / ((columns - 1) / 4)
  plot 'table' using (column(0)):(NaN):xtic(1) with points notitle, \
    for [s = 0:(columns - 1) / 4 - 1] '' using (place(s)):4*s+2:4*s+4:4*s+5 with yerrorbars linetype s + 1 linewidth 2 pointtype 5, \
    for [s = 0:(columns - 1) / 4 - 1] '' using (place(s)):4*s+3 with points linetype s + 1 pointtype 2"
plot summary "$@"
