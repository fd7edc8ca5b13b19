#!/usr/bin/env bash
# Turns the published figures of the four workloads of PyTorch's examples into a results document on stdout.

set -euo pipefail

usage() {
  cat <<'TEXT'
usage: scripts/published-s2.sh FIGURES.tsv > results/reference/m1-ultra-rtx-2070-super.json

FIGURES.tsv has a heading and a line for each row of the publication, tabs between the columns: workload, device,
batch, emsize, nlayers, nhid, status, seconds, temperature_c, memory_gb, power_w. An empty column is one that the
publication leaves empty; "<0.3" means below 0.3. Failed rows become cases like all others.
TEXT
}

if [[ $# -ne 1 || $1 == -h || $1 == --help ]]; then
  usage >&2
  exit 2
fi

jq -rRs -f "$(dirname "${BASH_SOURCE[0]}")/published-s2.jq" "$1"
