# shellcheck shell=bash
# Finds LibTorch, or fetches it once into a cache that all clones share.
#
#   GPUBENCH_TORCH          folder with include/ and lib/ to use as it is
#   GPUBENCH_TORCH_FLAVOR   slim (CPU only) or cuda; the torch of python3 is then left alone

oldest_torch=2.4
torch_version=$(pinned_version torch)
cache_folder=${XDG_CACHE_HOME:-$HOME/.cache}/gpubench

# Sets torch_flavor, which find_torch needs.
choose_flavor() {
  torch_flavor=${GPUBENCH_TORCH_FLAVOR:-}
  case $torch_flavor in
    slim | cuda) ;;
    '') if is_mac; then torch_flavor=macos; elif has_nvidia_driver; then torch_flavor=cuda; else torch_flavor=slim; fi ;;
    *) fail "GPUBENCH_TORCH_FLAVOR=$torch_flavor is not known; use slim or cuda" ;;
  esac
}

# Sets torch_folder, or ends with the reason and the remedy.
find_torch() {
  local place
  torch_folder=
  for place in given_torch prefix_torch python_torch fetched_torch; do
    "$place"
    [[ -z $torch_folder ]] || break
  done
  say "LibTorch $(torch_version_of "$torch_folder") in $torch_folder"
}

given_torch() {
  [[ -n ${GPUBENCH_TORCH:-} ]] || return 0
  local flaw
  flaw=$(torch_flaw "$GPUBENCH_TORCH")
  [[ -z $flaw ]] || fail "GPUBENCH_TORCH=$GPUBENCH_TORCH: $flaw; unset it, or name a LibTorch of $oldest_torch or newer"
  torch_folder=$(cd "$GPUBENCH_TORCH" && pwd)
}

prefix_torch() {
  local entry entries
  IFS=: read -r -a entries <<<"${CMAKE_PREFIX_PATH:-}"
  for entry in ${entries[@]+"${entries[@]}"}; do
    entry=${entry%/share/cmake*}
    [[ -z $entry || -n $(torch_flaw "$entry") ]] || { torch_folder=$(cd "$entry" && pwd) && return; }
  done
}

python_torch() {
  [[ -z ${GPUBENCH_TORCH_FLAVOR:-} ]] || return 0
  local folder flaw
  folder=$(locate_python_torch)
  [[ -n $folder ]] || return 0
  flaw=$(torch_flaw "$folder")
  flaw=${flaw:-$(cuda_flaw "$folder")}
  if [[ -n $flaw ]]; then say "not using the torch of python3 in $folder: $flaw"; else torch_folder=$folder; fi
}

# Looks without importing, which would take seconds, and from /, where no folder called torch can be mistaken for it.
locate_python_torch() {
  have python3 || return 0
  (cd / && python3 -c 'from importlib.util import find_spec as find
spec = find("torch")
print(spec.submodule_search_locations[0] if spec else "")' 2>/dev/null) || true
}

# From the cache, or into it.
fetched_torch() {
  [[ -d $(cached_folder) ]] || fetch_into "$(cached_folder)" fill_torch
  torch_folder=$(cached_folder)/torch
}

cached_folder() { printf '%s/libtorch-%s-%s\n' "$cache_folder" "$torch_version" "$torch_flavor"; }

# A CUDA toolkit alone does not count: it compiles CUDA code but cannot run it, and the CUDA LibTorch is 2.5 GB.
has_nvidia_driver() {
  [[ -e /proc/driver/nvidia/version ]] || nvidia-smi -L 2>/dev/null | grep -q '^GPU ' ||
    [[ $(/sbin/ldconfig -p 2>/dev/null) == *libcuda.so.1* ]]
}

# Why the folder cannot serve as LibTorch; empty when it can.
torch_flaw() {
  local version
  version=$(torch_version_of "$1")
  if [[ -z $version || ! -d $1/lib ]]; then
    echo "it holds no LibTorch (include/torch and lib)"
  elif ! version_at_least "$version" "$oldest_torch"; then
    echo "LibTorch $version is older than $oldest_torch"
  elif grep -qs -e '_GLIBCXX_USE_CXX11_ABI=0' "$1/share/cmake/Torch/TorchConfig.cmake"; then
    echo "LibTorch $version was built with the old C++ ABI"
  fi
}

# Empty where CUDA is there, or is not wanted.
cuda_flaw() {
  [[ $torch_flavor != cuda || -e $1/lib/libtorch_cuda.so ]] || echo "it has no CUDA part"
}

# The header with the numbers moved in 2.9.
torch_version_of() {
  cat "$1/include/torch/headeronly/version.h" "$1/include/torch/csrc/api/include/torch/version.h" 2>/dev/null |
    awk '/define TORCH_VERSION_(MAJOR|MINOR|PATCH) / { printf "%s%s", dot, $3; dot = "." }' || true
}

version_at_least() { [[ $(printf '%s\n' "$1" "$2" | sort -t . -k 1,1n -k 2,2n -k 3,3n | tail -n 1) == "$1" ]]; }
