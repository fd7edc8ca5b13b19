# shellcheck shell=bash
# Finds LibTorch, or fetches it into the cache of all clones.
#
#   GPUBENCH_TORCH         Folder of an existing LibTorch, with include/ and lib/
#   GPUBENCH_TORCH_FLAVOR  Fetch this LibTorch, slim (CPU only) or cuda, and ignore python3's torch

oldest_torch=2.4
torch_version=$(pinned_version torch)
cache_folder=${XDG_CACHE_HOME:-$HOME/.cache}/gpubench

# Sets torch_flavor.
choose_flavor() {
  torch_flavor=${GPUBENCH_TORCH_FLAVOR:-}
  case $torch_flavor in
    slim | cuda) ;;
    '') if is_mac; then torch_flavor=macos; elif has_nvidia_driver; then torch_flavor=cuda; else torch_flavor=slim; fi ;;
    *) fail "GPUBENCH_TORCH_FLAVOR=$torch_flavor: unknown flavor; give slim or cuda" ;;
  esac
}

# Sets torch_folder, or fails. Needs torch_flavor.
find_torch() {
  local place
  torch_folder=
  for place in given_torch prefix_torch python_torch fetched_torch; do
    "$place"
    [[ -z $torch_folder ]] || break
  done
  say "LibTorch $(read_torch_version "$torch_folder") in $torch_folder"
}

given_torch() {
  [[ -n ${GPUBENCH_TORCH:-} ]] || return 0
  local flaw
  flaw=$(torch_flaw "$GPUBENCH_TORCH")
  [[ -z $flaw ]] || fail "GPUBENCH_TORCH=$GPUBENCH_TORCH: $flaw; unset it, or give a LibTorch $oldest_torch or newer"
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

# Prints the folder of python3's torch. Does not import it, which takes seconds, and searches from
# /, so that a folder named torch in the current folder is not taken for it.
locate_python_torch() {
  have python3 || return 0
  (cd / && python3 -c 'from importlib.util import find_spec as find
spec = find("torch")
print(spec.submodule_search_locations[0] if spec else "")' 2>/dev/null) || true
}

# Uses the LibTorch in the cache, after fetching it if necessary.
fetched_torch() {
  [[ -d $(cached_folder) ]] || fetch_into "$(cached_folder)" fill_torch
  torch_folder=$(cached_folder)/torch
}

cached_folder() { printf '%s/libtorch-%s-%s\n' "$cache_folder" "$torch_version" "$torch_flavor"; }

# A CUDA toolkit is not enough: without a driver, CUDA code cannot run.
has_nvidia_driver() {
  [[ -e /proc/driver/nvidia/version ]] || nvidia-smi -L 2>/dev/null | grep -q '^GPU ' ||
    [[ $(/sbin/ldconfig -p 2>/dev/null) == *libcuda.so.1* ]]
}

# Prints why the folder is not usable as LibTorch; nothing if it is.
torch_flaw() {
  local version
  version=$(read_torch_version "$1")
  if [[ -z $version || ! -d $1/lib ]]; then
    echo "contains no LibTorch (include/torch and lib)"
  elif ! version_at_least "$version" "$oldest_torch"; then
    echo "LibTorch $version is older than $oldest_torch"
  elif grep -qs -e '_GLIBCXX_USE_CXX11_ABI=0' "$1/share/cmake/Torch/TorchConfig.cmake"; then
    echo "LibTorch $version was built with the old C++ ABI"
  fi
}

# Prints a text if CUDA is requested but missing.
cuda_flaw() {
  [[ $torch_flavor != cuda || -e $1/lib/libtorch_cuda.so ]] || echo "has no CUDA"
}

# Prints the version in the folder's headers. LibTorch 2.9 moved this header.
read_torch_version() {
  cat "$1/include/torch/headeronly/version.h" "$1/include/torch/csrc/api/include/torch/version.h" 2>/dev/null |
    awk '/define TORCH_VERSION_(MAJOR|MINOR|PATCH) / { printf "%s%s", dot, $3; dot = "." }' || true
}

version_at_least() { [[ $(printf '%s\n' "$1" "$2" | sort -t . -k 1,1n -k 2,2n -k 3,3n | tail -n 1) == "$1" ]]; }
