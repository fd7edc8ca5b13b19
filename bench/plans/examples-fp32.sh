#!/usr/bin/env bash
# The workloads of the PyTorch examples in fp32 on a CPU with synthetic data, against PyTorch eager
# and with its DataLoader. A sample of transformer_lm is a sequence of 35 tokens.

set -euo pipefail
# shellcheck source=bench/plans/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# compare_case NAME MODEL BATCH SAMPLES EPOCHS SIZES PEER_WORDS [LAYOUTS]: LAYOUTS "both" adds
# PyTorch with channels-last.
compare_case() {
  local name=$1 torch
  torch="$PYTHON $peers/torch_examples_peer.py --device cpu --model $2 --batch $3 --samples $4 --epochs $5 $7"
  local own=(--device cpu --model "$2" --batch "$3" --dataset synthetic --max-samples "$4" --epochs "$5")
  if [[ -n $6 ]]; then own+=(--model-arg "$6"); fi
  local layouts=()
  if [[ ${8:-} == both ]]; then layouts=(--vs --command "$torch --mode eager --channels-last"); fi
  versus "$name" "${own[@]}" --vs --command "$torch --mode eager" --vs --command "$torch --mode loader" "${layouts[@]}"
}

while read -r embedding hidden layers batch samples; do
  compare_case "transformer_lm $embedding-$hidden-$layers $batch" transformer_lm "$batch" "$samples" 3 \
    "embedding=$embedding,hidden=$hidden,layers=$layers" "--emsize $embedding --nhid $hidden --nlayers $layers"
done <<'CASES'
200 200 2 20 400
200 200 2 200 400
500 500 4 20 200
500 1024 10 20 200
CASES
while read -r model batch samples epochs layouts; do
  compare_case "$model $batch" "$model" "$batch" "$samples" "$epochs" "" "" "$layouts"
done <<'CASES'
vae 128 20000 6
vae 5120 20480 6
dcgan 64 256 3 both
dcgan 1024 1024 3 both
siamese 64 1024 3 both
siamese 1024 1024 3 both
CASES
summary
