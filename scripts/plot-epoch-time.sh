#!/usr/bin/env bash
# Draws the median epoch time by batch size, a line for each model, device and host.

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

usage() {
  cat <<'TEXT'
usage: scripts/plot-epoch-time.sh FILE... [-o CHART]

Draws the median epoch time by batch size, both axes logarithmic, a line for each model, device and host.
Cases that failed are named on stderr.

  FILE             result files of gpubench, of one or more machines
  -o, --output     chart to write, .svg or .png; epoch-time.svg where it is left out

example: scripts/plot-epoch-time.sh results/*.json -o epoch-time.png
TEXT
}

layout=lines
layers="runs lines epoch-time"
plot epoch-time "$@"
