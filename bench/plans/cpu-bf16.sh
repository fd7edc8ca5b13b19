#!/usr/bin/env bash
# bf16 by autocast on a CPU, beside PyTorch's.

set -euo pipefail
# shellcheck source=bench/plans/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

while read -r model batch dataset samples epochs; do
  versus "$model $batch" --device cpu --precision amp-bf16 --model "$model" --batch "$batch" --dataset "$dataset" \
    --data-dir "$DATA" --limit "$samples" --epochs "$epochs" \
    --vs --command "$PYTHON $PEERS/torch_peer.py --device cpu --mode resident --precision bf16 --model $model --batch $batch \
      --data $DATA --samples $samples --epochs $epochs"
done <<'CASES'
mlp 32 fashion-mnist 20000 6
mlp 1024 fashion-mnist 20000 6
lstm 32 fashion-mnist 8000 4
lstm 1024 fashion-mnist 8000 4
cnn 32 fashion-mnist 6000 4
cnn 1024 fashion-mnist 6000 4
cnn0 32 synthetic 4000 4
cnn0 1024 synthetic 4000 4
cnn3 128 synthetic 1024 4
resnet50 128 synthetic 512 4
CASES
summary
