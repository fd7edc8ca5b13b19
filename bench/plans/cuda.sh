#!/usr/bin/env bash
# An NVIDIA GPU, against PyTorch with a hand-made CUDA graph, eager, and compiled. All variants of
# precisions below fp32 use channels-last.

set -euo pipefail
# shellcheck source=bench/plans/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

while read -r model batch precision samples epochs; do
  torch="$PYTHON $peers/torch_train_peer.py --device cuda --precision ${precision#amp-} --model $model --batch $batch \
    --samples $samples --epochs $epochs"
  own=()
  if [[ $precision != fp32 ]]; then
    torch+=" --channels-last"
    own=(--layout channels-last)
  fi
  versus "$model $batch $precision" --device cuda --precision "$precision" --model "$model" --batch "$batch" \
    --dataset synthetic --max-samples "$samples" --epochs "$epochs" "${own[@]}" \
    --vs --command "$torch --mode graph" --vs --command "$torch --mode eager" --vs --command "$torch --mode compile"
done <<'CASES'
mlp 32 fp32 50000 8
mlp 128 fp32 50000 12
mlp 1024 fp32 50000 40
cnn 32 fp32 50000 6
cnn 128 fp32 50000 8
cnn 1024 fp32 50000 20
lstm 32 fp32 50000 6
lstm 128 fp32 50000 8
lstm 1024 fp32 50000 20
cnn3 32 fp32 16384 6
cnn3 128 fp32 16384 8
cnn3 1024 fp32 50000 6
resnet50 32 fp32 4096 6
resnet50 128 fp32 8192 6
resnet50 1024 fp32 32768 6
cnn3 32 tf32 16384 6
cnn3 128 tf32 32768 8
cnn3 1024 tf32 50000 10
resnet50 32 tf32 4096 6
resnet50 128 tf32 16384 6
resnet50 1024 tf32 50000 6
cnn3 32 amp-bf16 16384 6
cnn3 128 amp-bf16 32768 8
cnn3 1024 amp-bf16 50000 10
resnet50 32 amp-bf16 4096 6
resnet50 128 amp-bf16 16384 6
resnet50 1024 amp-bf16 50000 6
CASES
summary
