#!/usr/bin/env bash
# bf16 on a CPU, pure and autocast, against PyTorch's autocast: eager, compiled, channels-last.

set -euo pipefail
# shellcheck source=bench/plans/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
examples=$(dirname "${BASH_SOURCE[0]}")/../peers/torch_examples_peer.py

# compare_case NAME PEER LAYOUT OPTION...: PEER lacks its mode; LAYOUT "both" adds channels-last.
compare_case() {
  local name=$1 torch=$2 layout=$3 mode more=()
  shift 3
  for mode in resident compile; do
    more+=(--vs --command "$torch --mode $mode")
    if [[ $layout == both ]]; then more+=(--vs --command "$torch --mode $mode --channels-last"); fi
  done
  versus "$name" --device cpu --precision amp-bf16 "$@" --vs --precision bf16 "${more[@]}"
}

while read -r model batch dataset samples epochs layout; do
  compare_case "$model $batch" "$PYTHON $PEERS/torch_peer.py --device cpu --precision bf16 --model $model --batch $batch \
      --data $DATA --samples $samples --epochs $epochs" "$layout" \
    --model "$model" --batch "$batch" --dataset "$dataset" --data-dir "$DATA" --max-samples "$samples" --epochs "$epochs"
done <<'CASES'
mlp 32 fashion-mnist 20000 6 one
mlp 1024 fashion-mnist 20480 6 one
lstm 32 fashion-mnist 8000 4 one
lstm 1024 fashion-mnist 8192 4 one
cnn 32 fashion-mnist 6400 4 both
cnn 1024 fashion-mnist 6144 4 both
cnn0 32 synthetic 4000 4 both
cnn0 1024 synthetic 4096 4 both
cnn3 128 synthetic 1024 4 both
resnet50 128 synthetic 512 4 both
CASES
compare_case "transformer_lm 20" "$PYTHON $examples --device cpu --precision bf16 --model transformer_lm --batch 20 --samples 400 --epochs 3" one \
  --model transformer_lm --batch 20 --dataset synthetic --max-samples 400 --epochs 3
summary
