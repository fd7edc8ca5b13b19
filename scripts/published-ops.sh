#!/usr/bin/env bash
# Turns the published times of operations into the table that comes with the program, on stdout.

set -euo pipefail

usage() {
  cat <<'TEXT'
usage: scripts/published-ops.sh FIGURES.tsv > results/reference/ops-published.tsv

FIGURES.tsv has a heading and a line for each figure, tabs between the columns: machine, op, case, backend, ms, as the tables
of https://github.com/TristanBilot/mlx-benchmark have them; of PyTorch alone. What comes out has a line for each machine with
its short name first, then a heading and the figures with that name and with the names of 'gpubench list ops'.
TEXT
}

if [[ $# -ne 1 || $1 == -h || $1 == --help ]]; then
  usage >&2
  exit 2
fi

jq -rRs -f "$(dirname "${BASH_SOURCE[0]}")/published-ops.jq" "$1"
