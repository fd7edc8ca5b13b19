#!/usr/bin/env bash
# GPT-2 and ViT on a CPU at small sizes, against PyTorch eager and compiled. A sample of gpt2 is a
# sequence. PyTorch's bf16 is autocast.

set -euo pipefail
# shellcheck source=bench/plans/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

while read -r model batch sizes samples precision; do
  torch="$PYTHON $peers/torch_train_peer.py --device cpu --model $model --batch $batch --sizes $sizes --samples $samples \
    --precision ${precision#amp-}"
  versus "$model $batch $precision" --device cpu --model "$model" --model-arg "$sizes" --batch "$batch" --precision "$precision" \
    --dataset synthetic --max-samples "$samples" --epochs 3 \
    --vs --command "$torch --mode eager" --vs --command "$torch --mode compile"
done <<'CASES'
gpt2 8 layers=4,heads=4,width=256,context=256 32 fp32
gpt2 8 layers=4,heads=4,width=256,context=256 32 amp-bf16
vit 64 ti4 256 fp32
vit 64 ti4 256 amp-bf16
CASES
summary
