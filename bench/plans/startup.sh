#!/usr/bin/env bash
# Wall time of a whole process that trains an mlp for two epochs: the cost of a short training run
# beyond its epochs. Only gpubench includes a final evaluation.

set -euo pipefail
# shellcheck source=bench/plans/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

sizes="--model mlp --batch 1024 --samples 20000 --epochs 2"
torch="$PYTHON $peers/torch_train_peer.py --device cpu $sizes"
versus "mlp 1024" --device cpu --model mlp --batch 1024 --dataset synthetic --max-samples 20000 --epochs 2 --meter none --seconds wall \
  --vs --command "$torch --mode eager" --seconds wall --vs --command "$torch --mode loader" --seconds wall \
  --vs --command "$PYTHON $peers/keras_peer.py $sizes" --seconds wall
summary
