#!/usr/bin/env bash
# Runs a command beside others in alternation and prints how their medians compare.

set -euo pipefail
# shellcheck source=bench/lib/comparison.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/comparison.sh"

usage() {
  cat <<'TEXT'
usage: bench/alternate.sh [OPTION]... -- COMMAND_A... -- COMMAND_B... [-- COMMAND_B2...]...
       bench/alternate.sh [OPTION]... --plan FILE
       bench/alternate.sh [OPTION]... --resume JOURNAL

Runs A and each B in turn, every run a fresh process, and prints their medians, the ratio of A to each B, and its
geometric mean over all cases. More than 1 is in favour of A. bench/README.md tells how a ratio is made and what a plan is.

  --pairs N          rounds of A and each B (5)
  --name TEXT        what the case is called
  --label TEXT       what a command is called: once for A, then for each B in their order
  --measure WHAT     rate: more is better (default); seconds: less is better; wall: seconds of the whole process
  --figure EXPR      jq expression for the figure in the last line of stdout that is a JSON object; $wall is the
                     process's seconds. Without it: .images_per_s, or samples_per_second of gpubench's document
  --figure-a EXPR, --figure-b EXPR   the same for A alone, or the Bs
  --plan FILE        comparisons from a file instead; of the options above only --pairs then counts, before the plan's
  --only TEXT        only cases of the plan whose name contains the text; may be repeated
  --json FILE        write everything, with each run's figure; while it runs, FILE's stem.journal.jsonl has the runs
  --resume JOURNAL   run what an interrupted comparison lacks, and what failed in it
  -n, --dry-run      print the commands in their order and run none

Exit codes: 0 ok, 1 a run failed, 2 usage, 130 interrupted.

example: bench/alternate.sh --pairs 5 --name "cnn 1024" \
           -- gpubench --device cpu --model cnn --batch 1024 --epochs 4 -q -o - \
           -- python3 torch_peer.py --model cnn --batch 1024 --epochs 4
TEXT
}

compare "$@"
