# shellcheck shell=bash
# Fetches LibTorch into a folder that is complete or absent, whatever happens on the way.

# The CUDA of the zip; the wheel says itself which one it wants.
zip_cuda=cu130

# gpubench needs no Python part of the wheel, so the wheel for one Python serves all of them.
wheel_python=3.12

version=
flavor=
work=

# fetch_torch VERSION FLAVOR FOLDER: makes FOLDER/torch; its parent folder is shared with other clones.
fetch_torch() {
  version=$1
  flavor=$2
  local folder=$3 cache=${3%/*}
  mkdir -p "$cache" 2>/dev/null || true
  [[ -w $cache ]] || fail "cannot write to $cache; set XDG_CACHE_HOME to a folder where that is allowed"
  trap drop_work EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  lock "$cache/lock"
  # The lock is ours, so only a killed run can have left one.
  rm -rf "$cache"/work.* || true
  [[ -d $folder ]] || fill "$folder"
  drop_work
  trap - EXIT INT TERM HUP
}

drop_work() {
  stop_child
  [[ -z $work ]] || rm -rf "$work" || true
  work=
  unlock
}

fill() {
  local flaw
  work=$(mktemp -d "${1%/*}/work.XXXXXX")
  say "fetching LibTorch $version ($(describe_flavor)) into $1"
  if ! fetch_wheel && ! fetch_zip; then
    fail "cannot fetch LibTorch $version; connect to the network, or set GPUBENCH_TORCH to a folder that holds it"
  fi
  flaw=$(torch_flaw "$work/site/torch")
  [[ -z $flaw ]] || fail "cannot use this LibTorch: $flaw; unset GPUBENCH_TORCH_VERSION, or set GPUBENCH_TORCH"
  mv "$work/site" "$1"
  say "$(du -sm "$1" | awk '{ print $1 }') MB in $1"
}

describe_flavor() {
  case $flavor in
    slim) echo "CPU only, 0.6 GB to download and on disk" ;;
    cuda) echo "with CUDA, 2.5 GB to download, 3.7 GB on disk" ;;
    macos) echo "CPU and MPS, 0.1 GB to download, 0.4 GB on disk" ;;
  esac
}

# From the package index. The wheel is a LibTorch; what it needs beside it stands in its own metadata.
fetch_wheel() {
  mkdir "$work/site" &&
    ensure_pip &&
    pip_install --no-deps "torch==$version" &&
    wheel_needs >"$work/needs.txt" &&
    { [[ ! -s $work/needs.txt ]] || pip_install -r "$work/needs.txt"; } &&
    trim_wheel && return
  say "the package index did not serve LibTorch $version"
  return 1
}

ensure_pip() {
  have python3 || return 1
  python3 -m pip --version >/dev/null 2>&1 || install_packages python3-pip || return 1
  python3 -m pip --version >/dev/null 2>&1
}

# pip's own temporary files lie in the work folder and vanish with it.
pip_install() {
  TMPDIR=$work PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 \
    run_child python3 -m pip install --target "$work/site" --no-cache-dir --no-compile \
    --only-binary=:all: --python-version "$wheel_python" "$@"
}

# Requirement lines for the libraries that LibTorch links; libtorch_cpu.so itself needs the CUDA runtime and CUPTI.
wheel_needs() {
  local wanted='nvidia-|cuda-toolkit' extras=
  if [[ $flavor == slim ]]; then
    wanted='nvidia-cuda-(runtime|cupti)|cuda-toolkit'
    extras='s/^cuda-toolkit\[[^]]*\]/cuda-toolkit[cudart,cupti]/'
  fi
  cat "$work"/site/torch-*.dist-info/METADATA |
    awk -v wanted="^($wanted)" 'sub(/^Requires-Dist: /, "") && $0 ~ wanted' |
    sed -e "$extras"
}

# Keeps the dist-info folders, which hold the licences.
trim_wheel() {
  find "$work/site" -mindepth 1 -maxdepth 1 ! -name torch ! -name nvidia ! -name '*.dist-info' -exec rm -rf {} + &&
    find "$work/site/torch" -mindepth 1 -maxdepth 1 ! -name include ! -name lib ! -name share -exec rm -rf {} + &&
    rm -f "$work"/site/torch/lib/libtorch_python.* || return 1
  [[ $flavor == slim ]] || return 0
  # The marker tells GpubenchTorch.cmake that the CUDA part is missing on purpose.
  rm -f "$work"/site/torch/lib/libtorch_cuda*.so "$work"/site/torch/lib/libtorch_nvshmem.so &&
    : >"$work/site/gpubench-slim"
}

# From the host of the PyTorch project.
fetch_zip() {
  local address
  address=$(zip_address)
  [[ -n $address ]] || return 1
  have curl || install_packages curl || return 1
  say "fetching $address"
  rm -rf "$work/site" && mkdir "$work/site" &&
    run_child curl --fail --location --silent --show-error --output "$work/libtorch.zip" "$address" &&
    (cd "$work/site" && cmake -E tar xf "$work/libtorch.zip") &&
    mv "$work/site/libtorch" "$work/site/torch"
}

# Empty where no zip is published.
zip_address() {
  local host=https://download.pytorch.org/libtorch
  case $flavor-$(uname -m) in
    slim-x86_64) echo "$host/cpu/libtorch-shared-with-deps-$version%2Bcpu.zip" ;;
    cuda-x86_64) echo "$host/$zip_cuda/libtorch-shared-with-deps-$version%2B$zip_cuda.zip" ;;
    macos-arm64) echo "$host/cpu/libtorch-macos-arm64-$version.zip" ;;
  esac
}
