#!/usr/bin/env bash
# fp32 on a CPU, against Keras and PyTorch: with a loader, as most scripts train, and in an expert's modes.

set -euo pipefail
# shellcheck source=bench/plans/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

while read -r model batch samples epochs layouts; do
  sizes="--model $model --batch $batch --samples $samples --epochs $epochs"
  torch="$PYTHON $peers/torch_train_peer.py --device cpu $sizes"
  sides=(--vs --command "$torch --mode loader" --vs --command "$PYTHON $peers/keras_peer.py $sizes"
    --vs --command "$expert $torch --mode compile")
  # Convolutional networks run with channels-last in eager mode, and also compiled.
  if [[ -n $layouts ]]; then
    sides+=(--vs --command "$expert $torch --mode eager --channels-last" --vs --command "$expert $torch --mode compile --channels-last")
  else
    sides+=(--vs --command "$expert $torch --mode eager")
  fi
  versus "$model $batch" --device cpu --model "$model" --batch "$batch" --dataset synthetic --max-samples "$samples" \
    --epochs "$epochs" "${sides[@]}"
done <<'CASES'
mlp 32 20000 6
mlp 1024 20480 6
lstm 32 8000 4
lstm 1024 8192 4
cnn 32 6400 4 both
cnn 1024 6144 4 both
cnn0 128 4096 4 both
cnn3 128 1024 4 both
resnet50 128 512 4 both
CASES
summary
