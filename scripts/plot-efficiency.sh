#!/usr/bin/env bash
# Draws what several ranks gain, by their number, a line for each model, kind of scaling, device and host.

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

usage() {
  cat <<'TEXT'
usage: scripts/plot-efficiency.sh FILE... [-o CHART]

Draws the efficiency of several ranks by their number: their throughput over that of one rank by itself, and over their number.
A line for each model, kind of scaling, device and host.

  FILE             result files of gpubench with cases of one rank and of several, of one or more machines
  -o, --output     chart to write, .svg or .png; efficiency.svg where it is left out

example: gpubench suite scale -o scale.json && scripts/plot-efficiency.sh scale.json -o efficiency.png
TEXT
}

layout=lines
layers="runs lines efficiency"
plot efficiency "$@"
