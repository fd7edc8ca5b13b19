#!/usr/bin/env bash
# Inference on a CPU, against PyTorch eager, compiled and as TorchScript; networks with convolutions
# also with channels-last. A sample of gpt2 is a sequence.

set -euo pipefail
# shellcheck source=bench/plans/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# compare_case MODEL BATCH SAMPLES SIZES SCENARIO PRECISION: SIZES "-" are the defaults.
compare_case() {
  local model=$1 batch=$2 samples=$3 sizes=$4 scenario=$5 precision=$6
  local own=(--device cpu --model "$model" --scenario "$scenario" --batch "$batch" --precision "$precision" --dataset synthetic
    --max-samples "$samples" --epochs 3)
  local torch="$PYTHON $peers/torch_infer_peer.py --device cpu --model $model --scenario $scenario --batch $batch \
    --precision $precision --samples $samples"
  if [[ $sizes != - ]]; then
    own+=(--model-arg "$sizes")
    torch+=" --sizes $sizes"
  fi
  local more=() mode
  for mode in eager compile script; do more+=(--vs --command "$torch --mode $mode"); done
  if [[ $model != gpt2 ]]; then
    for mode in eager compile; do more+=(--vs --command "$torch --mode $mode --channels-last"); done
  fi
  versus "$model $scenario $batch $precision" "${own[@]}" "${more[@]}"
}

while read -r model batch samples single sizes; do
  for precision in fp32 bf16; do
    compare_case "$model" "$batch" "$samples" "$sizes" offline "$precision"
    compare_case "$model" 1 "$single" "$sizes" single-stream "$precision"
  done
done <<'CASES'
cnn 128 8192 1024 -
resnet50 32 128 32 -
gpt2 8 64 16 layers=4,heads=4,width=256,context=256
CASES
summary
