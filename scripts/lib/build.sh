# shellcheck shell=bash
# Set-up, configure and build. A preset names its build folder under build/.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=scripts/lib/common.sh
source "$root/scripts/lib/common.sh"
# shellcheck source=scripts/lib/packages.sh
source "$root/scripts/lib/packages.sh"
# shellcheck source=scripts/lib/lock.sh
source "$root/scripts/lib/lock.sh"
# shellcheck source=scripts/lib/fetch.sh
source "$root/scripts/lib/fetch.sh"
# shellcheck source=scripts/lib/libtorch.sh
source "$root/scripts/lib/libtorch.sh"

oldest_cmake=3.25

# set_up PRESET PURPOSE: makes the folder build/PRESET ready to build, at once when nothing it rests on has changed.
set_up() {
  local preset=$1 purpose=$2 stamp=$root/build/$1/gpubench-set-up
  choose_flavor
  is_set_up "$stamp" "$purpose" && return
  require_packages "$purpose"
  require_cmake
  find_torch
  configure "$preset" "$purpose"
  printf '%s\n' "$(set_up_request "$purpose")" "$torch_folder" >"$stamp"
}

# All that decides the outcome of set-up, in words that cost milliseconds to produce.
set_up_request() {
  printf '%s\n' "$root" "$(package_names "$1")" "$(cached_folder)" "flavor ${GPUBENCH_TORCH_FLAVOR:-}" \
    "torch ${GPUBENCH_TORCH:-}" "version ${GPUBENCH_TORCH_VERSION:-}" "prefix ${CMAKE_PREFIX_PATH:-}" \
    "compiler ${CC:-} ${CXX:-}"
}

# The stamp's last line is the LibTorch in use, which may have been removed since.
is_set_up() {
  [[ -f $1 && -f ${1%/*}/build.ninja ]] || return 1
  local torch
  torch=$(tail -n 1 "$1")
  [[ -d $torch && "$(set_up_request "$2")"$'\n'"$torch" == "$(<"$1")" ]]
}

require_cmake() {
  local version
  version=$(cmake --version | awk 'NR == 1 { print $3 }')
  version_at_least "$version" "$oldest_cmake" ||
    fail "cmake $version is older than $oldest_cmake; run: python3 -m pip install cmake"
}

# configure PRESET PURPOSE
configure() {
  local options=("-DGPUBENCH_TORCH=$torch_folder")
  if [[ $2 == build ]]; then options+=(-DBUILD_TESTING=OFF); fi
  if is_mac; then options+=("-DCMAKE_PREFIX_PATH=$(brew_prefixes)"); fi
  if have ccache; then
    options+=("-DCMAKE_CXX_COMPILER_LAUNCHER=$(compiler_cache)" "-DCMAKE_CXX_FLAGS=$(cache_flags)")
  fi
  # What an earlier configure found belongs to another LibTorch or another place.
  rm -f "$root/build/$1/CMakeCache.txt"
  say "configuring build/$1"
  (cd "$root" && cmake --preset "$1" "${options[@]}") >&2
}

# What was compiled once is found again by a fresh clone, wherever it lies. The rest of the settings is what precompiled
# headers ask for.
compiler_cache() {
  printf 'env;CCACHE_DIR=%s;CCACHE_BASEDIR=%s;CCACHE_NOHASHDIR=1;CCACHE_MAXSIZE=2G;CCACHE_COMPRESS=1;' \
    "$cache_folder/ccache" "$root"
  printf 'CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime;ccache'
}

cache_flags() {
  if "${CXX:-c++}" --version | grep -qi clang; then echo "-Xclang -fno-pch-timestamp"; else echo -fpch-preprocess; fi
}

# build PRESET [TARGET]
build() {
  local target=()
  [[ -z ${2:-} ]] || target=(--target "$2")
  cmake --build "$root/build/$1" -j "$(job_count)" ${target[@]+"${target[@]}"} >&2
}
