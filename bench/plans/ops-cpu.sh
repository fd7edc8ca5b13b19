#!/usr/bin/env bash
# Operations on a CPU, from 10 µs to 1 s per call, against torch.utils.benchmark.Timer. Both
# variants are commands, and an "epoch" is one call.

set -euo pipefail
# shellcheck source=bench/plans/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

while read -r op sizes; do
  versus "$op $sizes" --model "$op $sizes" --max-samples 1 \
    --command "$GPUBENCH ops --device cpu --op $op --shape '$sizes' -q -o -" --seconds /results/0/figures/median_call_seconds \
    --vs --command "$PYTHON $peers/torch_timer_peer.py --op $op --sizes '$sizes'" --seconds /seconds
done <<'CASES'
layer_norm 8x16x256
sum 16x32x64 axis=2
relu 16x16x1024
matmul 256x256 256x256
conv2d 10x28x28x3 8x3x3x3
sigmoid 128x16x1024
argmax 64x1024x128 axis=2
softmax 64x16x32x1024 axis=-1
linear 100x1024x64 64x1024 1024
sort 64x128x1024 axis=2
linear 100x1024x512 512x1024 1024
CASES
summary
