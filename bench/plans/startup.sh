#!/usr/bin/env bash
# Wall time of a whole process that trains an mlp for two epochs with local data: the cost of a
# short training run beyond its epochs. Only gpubench includes a final evaluation.

set -euo pipefail
# shellcheck source=bench/plans/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

torch="$PYTHON $PEERS/torch_peer.py --device cpu --model mlp --batch 1024 --data $DATA --samples 20000 --epochs 2"
versus "mlp 1024" --device cpu --model mlp --batch 1024 --dataset fashion-mnist --data-dir "$DATA" \
  --max-samples 20000 --epochs 2 --meter none --seconds wall \
  --vs --command "$torch --mode resident" --seconds wall --vs --command "$torch --mode loader" --seconds wall \
  --vs --command "$PYTHON $PEERS/keras_peer.py mlp 1024 2 20000" --seconds wall
summary
