#!/usr/bin/env bash
# GPT-2 124M, ViT-S/16 and ResNet-50 on an NVIDIA GPU, against PyTorch eager, compiled, and compiled
# with CUDA graphs. A sample of gpt2 is a sequence of 1,024 tokens. PyTorch's bf16 is autocast.

set -euo pipefail
# shellcheck source=bench/plans/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# compare_case MODEL BATCH PRECISION SAMPLES SIZES: SIZES "-" are the defaults.
compare_case() {
  local model=$1 batch=$2 precision=$3 samples=$4 sizes=$5
  local own=(--device cuda --model "$model" --batch "$batch" --precision "$precision" --dataset synthetic
    --max-samples "$samples" --epochs 4)
  local torch="$PYTHON $peers/torch_train_peer.py --device cuda --model $model --batch $batch --precision ${precision#amp-} \
    --samples $samples --epochs 4"
  if [[ $sizes != - ]]; then
    own+=(--model-arg "$sizes")
    torch+=" --sizes $sizes"
  fi
  if [[ $model == resnet50 ]]; then torch+=" --channels-last"; fi
  versus "$model $batch $precision" "${own[@]}" --vs --command "$torch --mode eager" --vs --command "$torch --mode compile" \
    --vs --command "$torch --mode reduce-overhead"
}

while read -r model batch samples sizes; do
  for precision in fp32 tf32 amp-bf16; do compare_case "$model" "$batch" "$precision" "$samples" "$sizes"; done
done <<'CASES'
gpt2 8 160 -
gpt2 32 320 -
vit 128 2560 s16
resnet50 128 2560 image=224,classes=1000
CASES
summary
