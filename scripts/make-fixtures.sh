#!/usr/bin/env bash
# Cuts the samples in tests/fixtures out of real data: scripts/make-fixtures.sh [data folder]
# Run it only to change what they hold.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib/common.sh

data=${1:-${GPUBENCH_DATA_DIR:-}}
[[ -n $data ]] || fail "say where the real data is: scripts/make-fixtures.sh DATA_FOLDER"

# A number as four big-endian bytes.
number() {
  printf '%b' "$(printf '\\0%03o' $(($1 >> 24 & 255)) $(($1 >> 16 & 255)) $(($1 >> 8 & 255)) $(($1 & 255)))"
}

# The bytes of a file from an offset on. The reader stops early, which is no failure of the writer.
bytes() { tail -c "+$(($2 + 1))" "$1" | head -c "$3" || true; }

# idx STEM COUNT HEADER_SIZE SAMPLE_SIZE: the first samples of an IDX file, under a header that says how many.
idx() {
  local whole=$scratch/$1
  gzip -dc "$data/fashion-mnist/$1.gz" >"$whole"
  {
    bytes "$whole" 0 4
    number "$2"
    bytes "$whole" 8 $(($3 - 8))
    bytes "$whole" "$3" $(($2 * $4))
  } | gzip -9n >"tests/fixtures/fashion-mnist/$1.gz"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p tests/fixtures/fashion-mnist tests/fixtures/cifar-10-batches-bin

idx train-images-idx3-ubyte 64 16 784
idx train-labels-idx1-ubyte 64 8 1
idx t10k-images-idx3-ubyte 16 16 784
idx t10k-labels-idx1-ubyte 16 8 1

for name in data_batch_{1,2,3,4,5} test_batch; do
  bytes "$data/cifar-10-batches-bin/$name.bin" 0 $((3 * 3073)) >"tests/fixtures/cifar-10-batches-bin/$name.bin"
done
