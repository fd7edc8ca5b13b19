#!/usr/bin/env bash
# fp32 on a CPU, against PyTorch in its usual modes and Keras.

set -euo pipefail
# shellcheck source=bench/plans/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# compare_case MODEL BATCH DATASET SAMPLES EPOCHS [WORDS...]: WORDS are further variants.
compare_case() {
  local model=$1 batch=$2 dataset=$3 samples=$4 epochs=$5
  shift 5
  versus "$model $batch" --device cpu --model "$model" --batch "$batch" --dataset "$dataset" --data-dir "$DATA" \
    --max-samples "$samples" --epochs "$epochs" \
    --vs --command "$torch --mode resident" --vs --command "$torch --mode loader" --vs --command "$torch --mode compile" \
    --vs --command "$PYTHON $PEERS/keras_peer.py $model $batch $epochs $samples" "$@"
}

while read -r model batch dataset samples epochs layouts; do
  torch="$PYTHON $PEERS/torch_peer.py --device cpu --model $model --batch $batch --data $DATA --samples $samples --epochs $epochs"
  more=()
  # Convolutional networks also run with channels-last.
  if [[ -n $layouts ]]; then more=(--vs --command "$torch --mode resident --channels-last"); fi
  compare_case "$model" "$batch" "$dataset" "$samples" "$epochs" "${more[@]}"
done <<'CASES'
mlp 32 fashion-mnist 20000 6
mlp 1024 fashion-mnist 20000 6
lstm 32 fashion-mnist 8000 4
lstm 1024 fashion-mnist 8000 4
cnn 32 fashion-mnist 6000 4 both
cnn 1024 fashion-mnist 6000 4 both
cnn0 32 synthetic 4000 4 both
cnn0 1024 synthetic 4000 4 both
cnn3 128 synthetic 1024 4 both
resnet50 128 synthetic 512 4 both
CASES
summary
