# shellcheck shell=bash
# Fetches LibTorch, and what else a build needs and a system may lack, into folders that are complete or absent, whatever
# happens on the way.

# The CUDA of the zip; the wheel says itself which one it wants.
zip_cuda=cu130

# gpubench needs no Python part of the wheel, so the wheel for one Python serves all of them.
wheel_python=3.12

version=
flavor=
work=

# fetch_into FOLDER COMMAND...: makes FOLDER of what the command puts into $work/site; its parent folder is shared with
# other clones.
fetch_into() {
  local folder=$1 cache=${1%/*}
  shift
  mkdir -p "$cache" 2>/dev/null || true
  [[ -w $cache ]] || fail "cannot write to $cache; set XDG_CACHE_HOME to a folder where that is allowed"
  trap drop_work EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  lock "$cache/lock"
  # The lock is ours, so only a killed run can have left one.
  rm -rf "$cache"/work.* || true
  if [[ ! -d $folder ]]; then
    work=$(mktemp -d "$cache/work.XXXXXX")
    mkdir "$work/site"
    "$@"
    # Whatever the umask is, others shall not be able to change it.
    chmod 755 "$work/site"
    # 'gpubench setup', which has a lock of its own, may have made it meanwhile.
    [[ -d $folder ]] || mv "$work/site" "$folder"
    say "$(du -sm "$folder" | awk '{ print $1 }') MB in $folder"
  fi
  drop_work
  trap - EXIT INT TERM HUP
}

drop_work() {
  stop_child
  [[ -z $work ]] || rm -rf "$work" || true
  work=
  unlock
}

# fetch_torch VERSION FLAVOR FOLDER: makes FOLDER/torch.
fetch_torch() {
  version=$1
  flavor=$2
  refuse_unpublished
  fetch_into "$3" fill_torch
}

# Pages of packages and zips have nothing for other machines, which looks as if there was no network.
refuse_unpublished() {
  case $(uname -sm) in
    "Linux x86_64" | "Linux aarch64" | "Darwin arm64") ;;
    "Darwin x86_64") fail "LibTorch $version is not published for Macs with Intel processors; set GPUBENCH_TORCH to one" \
      "that was built there" ;;
    *) fail "LibTorch is not published for $(uname -sm); set GPUBENCH_TORCH to one that was built there" ;;
  esac
}

fill_torch() {
  local flaw
  say "fetching LibTorch $version ($(describe_flavor))"
  fetch_wheel || fetch_zip ||
    fail "cannot fetch LibTorch $version; $(fetch_remedy), or set GPUBENCH_TORCH to a folder that holds it"
  flaw=$(torch_flaw "$work/site/torch")
  [[ -z $flaw ]] || fail "cannot use this LibTorch: $flaw; unset GPUBENCH_TORCH_VERSION, or set GPUBENCH_TORCH"
  flaw=$(cuda_flaw "$work/site/torch")
  [[ -z $flaw ]] || fail "cannot use this LibTorch for $(uname -m): $flaw; set GPUBENCH_TORCH to one that has" \
    "(docs/systems.md), or GPUBENCH_TORCH_FLAVOR=slim for the CPU alone"
}

fetch_remedy() { if has_pip; then echo "connect to the network"; else echo "install pip for python3"; fi; }

describe_flavor() {
  case $flavor in
    slim) echo "CPU only, 0.6 GB to download and on disk" ;;
    cuda) echo "with CUDA, 2.5 GB to download, 3.7 GB on disk" ;;
    macos) echo "CPU and MPS, 0.1 GB to download, 0.4 GB on disk" ;;
  esac
}

# Checksums of what is fetched from the package index, whose word alone is not taken for it.
pins=$(dirname "${BASH_SOURCE[0]}")/pins.txt

# pins_of PATTERN: the pinned packages whose whole name matches.
pins_of() {
  awk -v wanted="^($1)==" '/^[a-z]/ { is_wanted = $1 ~ wanted } is_wanted' "$pins"
}

# install_pinned PATTERN: nothing else than these files is taken.
install_pinned() {
  pins_of "$1" >"$work/pins.txt" && pip_install --no-deps --require-hashes -r "$work/pins.txt"
}

# From the package index. The wheel is a LibTorch; what it needs beside it is pinned with it, or, for a version that is
# asked for by name, stands in its own metadata.
fetch_wheel() {
  ensure_pip || return 1
  if [[ $(pins_of torch) == *"torch==$version "* ]]; then
    install_pinned "$(pinned_packages)" && trim_wheel && return
  else
    say "no checksum of LibTorch $version is known here; the package index is trusted with it"
    install_unpinned && trim_wheel && return
  fi
  say "the package index did not serve LibTorch $version"
  return 1
}

pinned_packages() {
  case $flavor in
    slim) echo 'torch|nvidia-cuda-(runtime|cupti)' ;;
    cuda) echo 'torch|cuda-toolkit|nvidia-.*' ;;
    macos) echo 'torch' ;;
  esac
}

install_unpinned() {
  pip_install --no-deps "torch==$version" &&
    wheel_needs >"$work/needs.txt" &&
    { [[ ! -s $work/needs.txt ]] || pip_install -r "$work/needs.txt"; }
}

has_pip() { have python3 && python3 -m pip --version >/dev/null 2>&1; }

ensure_pip() {
  has_pip && return
  have python3 && install_packages python3-pip && has_pip && return
  say "python3 has no pip; $(packages_hint build)"
  return 1
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

# From the host of the PyTorch project, which publishes no checksums.
fetch_zip() {
  local address
  address=$(zip_address)
  [[ -n $address ]] || return 1
  if [[ -z ${GPUBENCH_ALLOW_UNVERIFIED:-} ]]; then
    say "no checksum of $address is known; GPUBENCH_ALLOW_UNVERIFIED=yes fetches it all the same"
    return 1
  fi
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
