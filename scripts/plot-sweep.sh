#!/usr/bin/env bash
# Draws FLOP/s of square matrix products by their size, a line for each type, device and host.

set -euo pipefail
# shellcheck source=scripts/lib/plot.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/plot.sh"

usage() {
  cat <<'TEXT'
usage: scripts/plot-sweep.sh FILE... [-o CHART]

Draws FLOP/s of square matrix products by their size, both axes logarithmic, a line for each type, device and host.
Products that failed are named on stderr.

  FILE             documents of 'gpubench ops --sweep', of one or more machines
  -o, --output     chart to write, .svg or .png; sweep.svg where it is left out

example: gpubench ops --sweep 256:8192:*2 --dtype fp32,bf16 -o sweep.json && scripts/plot-sweep.sh sweep.json
TEXT
}

kind=operations
layout=lines
layers="lines sweep"
plot sweep "$@"
