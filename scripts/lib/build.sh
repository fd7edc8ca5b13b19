# shellcheck shell=bash
# Set-up, configure and build. scripts/run.sh and scripts/test.sh share one build folder with the
# same settings.

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
# shellcheck source=scripts/lib/cmake.sh
source "$root/scripts/lib/cmake.sh"
# shellcheck source=scripts/lib/valijson.sh
source "$root/scripts/lib/valijson.sh"

build_folder=$root/build/release
purpose=
is_fresh=
valijson_folder=

# set_up PURPOSE: prepares the build folder to build, or to build and test. Returns at once if its
# inputs are unchanged.
set_up() {
  purpose=$1
  use_fetched_cmake
  choose_flavor
  is_set_up "$build_folder/gpubench-set-up" "$purpose" || prepare
}

prepare() {
  refuse_rosetta
  require_packages "$purpose"
  require_cmake
  find_torch
  [[ $purpose != test ]] || find_valijson
  configure "$purpose"
  printf '%s\n' "$(set_up_request "$purpose")" "$torch_folder" >"$build_folder/gpubench-set-up"
  is_fresh=yes
}

# set_up_request PURPOSE: prints all inputs of set-up that can be found in milliseconds.
set_up_request() {
  printf '%s\n' "$root" "$(package_names "$1")" "$(cached_folder)" "flavor ${GPUBENCH_TORCH_FLAVOR:-}" \
    "torch ${GPUBENCH_TORCH:-}" "prefix ${CMAKE_PREFIX_PATH:-}" \
    "compiler ${CC:-} ${CXX:-}"
}

# is_set_up STAMP PURPOSE. The last line of the stamp is the folder of LibTorch, which must still
# exist. A set-up for tests suffices for builds.
is_set_up() {
  [[ -f $1 && -f $build_folder/build.ninja ]] || return 1
  local torch
  torch=$(tail -n 1 "$1")
  [[ -d $torch ]] || return 1
  [[ "$(set_up_request "$2")"$'\n'"$torch" == "$(<"$1")" ]] || { [[ $2 == build ]] && is_set_up "$1" test; }
}

# configure PURPOSE
configure() {
  local options=("-DGPUBENCH_TORCH=$torch_folder")
  if [[ $1 == test ]]; then options+=(-DBUILD_TESTING=ON); fi
  configure_as release "$1" "${options[@]}"
}

# configure_as PRESET PURPOSE OPTION...
configure_as() {
  local options=("${@:3}" "-DGPUBENCH_VALIJSON=$valijson_folder" "-DGPUBENCH_PACKAGES_HINT=$(packages_hint "$2")")
  if is_mac; then options+=("-DCMAKE_PREFIX_PATH=$(brew_prefixes)"); fi
  if have ccache; then
    options+=("-DCMAKE_CXX_COMPILER_LAUNCHER=$(compiler_cache)" "-DCMAKE_CXX_FLAGS=$(cache_flags)")
  fi
  # The cache of an earlier configure belongs to another LibTorch or another folder.
  rm -f "$build_folder/CMakeCache.txt"
  say "configuring build/$1"
  (cd "$root" && cmake --preset "$1" "${options[@]}") >&2
}

# Prints the ccache command. Base folder and no hash of it: clones in other folders share the cache.
# Sloppiness: required by precompiled headers.
compiler_cache() {
  printf 'env;CCACHE_DIR=%s;CCACHE_BASEDIR=%s;CCACHE_NOHASHDIR=1;CCACHE_MAXSIZE=2G;CCACHE_COMPRESS=1;' \
    "$cache_folder/ccache" "$root"
  printf 'CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime;ccache'
}

cache_flags() {
  if "${CXX:-c++}" --version | grep -qi clang; then echo "-Xclang -fno-pch-timestamp"; else echo -fpch-preprocess; fi
}

# build [TARGET]: on failure, repeats set-up once, because a system upgrade may have removed a
# library or CMake.
build() {
  if build_target "$@"; then return; fi
  [[ -z $is_fresh ]] || return 1
  say "the build failed; repeating set-up and build"
  prepare
  build_target "$@"
}

build_target() {
  local target=()
  [[ -z ${1:-} ]] || target=(--target "$1")
  cmake --build "$build_folder" -j "$(job_count)" ${target[@]+"${target[@]}"} >&2
}
