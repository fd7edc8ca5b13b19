#!/usr/bin/env bash
# bf16 on a CPU, pure and autocast, against PyTorch's autocast in an expert's modes.

set -euo pipefail
# shellcheck source=bench/plans/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# compare_case NAME PEER LAYOUT OPTION...: PEER lacks its mode; LAYOUT "both" adds channels-last.
compare_case() {
  local name=$1 torch=$2 layout=$3 mode more=()
  shift 3
  for mode in eager compile; do
    more+=(--vs --command "$expert $torch --mode $mode")
    if [[ $layout == both ]]; then more+=(--vs --command "$expert $torch --mode $mode --channels-last"); fi
  done
  versus "$name" --device cpu --precision amp-bf16 "$@" --dataset synthetic --vs --precision bf16 "${more[@]}"
}

while read -r model batch samples epochs layout; do
  compare_case "$model $batch" "$PYTHON $peers/torch_train_peer.py --device cpu --precision bf16 --model $model --batch $batch \
      --samples $samples --epochs $epochs" "$layout" \
    --model "$model" --batch "$batch" --max-samples "$samples" --epochs "$epochs"
done <<'CASES'
mlp 32 20000 6 one
mlp 1024 20480 6 one
lstm 32 8000 4 one
lstm 1024 8192 4 one
cnn 32 6400 4 both
cnn 1024 6144 4 both
cnn0 128 4096 4 both
cnn3 128 1024 4 both
resnet50 128 512 4 both
CASES
compare_case "transformer_lm 20" "$PYTHON $peers/torch_examples_peer.py --device cpu --precision bf16 --model transformer_lm --batch 20 --samples 400 --epochs 3" one \
  --model transformer_lm --batch 20 --max-samples 400 --epochs 3
summary
