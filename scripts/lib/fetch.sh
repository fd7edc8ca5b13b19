# shellcheck shell=bash
# Fetches the packages of scripts/lib/pins.txt with pip, which applies the user's mirrors and
# proxies. Each folder is complete or absent.
# shellcheck disable=SC2154  # torch_flavor and torch_version come from libtorch.sh.

pins=$(dirname "${BASH_SOURCE[0]}")/pins.txt
# The wheel's Python version does not matter, because the Python part of LibTorch is removed.
wheel_python=3.12
work=

# pinned_version PACKAGE
pinned_version() { sed -n "s/^$1==\([^ ]*\).*/\1/p" "$pins"; }

# select_pins PATTERN: prints the pins of the packages whose whole name matches.
select_pins() { awk -v wanted="^($1)==" '/^[a-z]/ { is_wanted = $1 ~ wanted } is_wanted' "$pins"; }

# fetch_into FOLDER COMMAND...: creates FOLDER from the files that the command puts in $work/site.
# All clones share its parent.
fetch_into() {
  local folder=$1 cache=${1%/*}
  shift
  mkdir -p "$cache" 2>/dev/null || true
  [[ -w $cache ]] || fail "cannot write to $cache; set XDG_CACHE_HOME to a writable folder"
  trap drop_work EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  lock "$cache/lock"
  # Leftovers of killed processes, because this process holds the lock.
  rm -rf "$cache"/work.* || true
  if [[ ! -d $folder ]]; then
    work=$(mktemp -d "$cache/work.XXXXXX")
    mkdir "$work/site"
    "$@"
    # Readable by all and writable by the owner only, whatever the umask.
    chmod 755 "$work/site"
    # 'gpubench setup' has another lock and may have created the folder meanwhile.
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

# install_pinned PATTERN NAME REMEDY: installs packages in $work/site. pip's temporary files are in
# $work and removed with it.
install_pinned() {
  require_pip
  select_pins "$1" >"$work/pins.txt"
  TMPDIR=$work PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 \
    run_child python3 -m pip install --target "$work/site" --no-cache-dir --no-compile --no-deps --require-hashes \
    --only-binary=:all: --python-version "$wheel_python" -r "$work/pins.txt" ||
    fail "cannot fetch $2; connect to the network, or set PIP_INDEX_URL to a mirror$3"
}

require_pip() {
  have_pip || { have python3 && install_packages python3-pip && have_pip; } || fail "pip is missing; $(packages_hint build)"
}
have_pip() { have python3 && python3 -m pip --version >/dev/null 2>&1; }

# fill_torch: creates $work/site/torch of $torch_flavor.
fill_torch() {
  local wanted size
  case $torch_flavor in
    slim) wanted='torch|nvidia-cuda-(runtime|cupti)' size="CPU only, 0.6 GB to download and on disk" ;;
    cuda) wanted='torch|cuda-toolkit|nvidia-.*' size="with CUDA, 2.5 GB to download, 3.7 GB on disk" ;;
    macos) wanted=torch size="CPU and MPS, 0.1 GB to download, 0.4 GB on disk" ;;
  esac
  case $(uname -sm) in
    "Linux x86_64" | "Linux aarch64" | "Darwin arm64") ;;
    *) fail "LibTorch $torch_version is not published for $(uname -sm); set GPUBENCH_TORCH to a LibTorch built for it" ;;
  esac
  say "fetching LibTorch $torch_version ($size)"
  install_pinned "$wanted" "LibTorch $torch_version" ", or set GPUBENCH_TORCH to its folder"
  trim_torch
  [[ -z $(cuda_flaw "$work/site/torch") ]] || fail "LibTorch for $(uname -m) has no CUDA; set GPUBENCH_TORCH to one that has" \
    "(docs/getting-started.md), or GPUBENCH_TORCH_FLAVOR=slim for the CPU only"
}

# Removes all files except libraries, headers, and the dist-info folders with the licences.
trim_torch() {
  find "$work/site" -mindepth 1 -maxdepth 1 ! -name torch ! -name nvidia ! -name '*.dist-info' -exec rm -rf {} +
  find "$work/site/torch" -mindepth 1 -maxdepth 1 ! -name include ! -name lib ! -name share -exec rm -rf {} +
  rm -f "$work"/site/torch/lib/libtorch_python.*
  [[ $torch_flavor == slim ]] || return 0
  # This marks for GpubenchTorch.cmake that the CUDA libraries are missing on purpose.
  rm -f "$work"/site/torch/lib/libtorch_cuda*.so "$work"/site/torch/lib/libtorch_nvshmem.so
  : >"$work/site/gpubench-slim"
}
