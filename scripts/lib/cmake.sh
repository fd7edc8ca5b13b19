# shellcheck shell=bash
# Provides a CMake that is new enough: the system's, or one fetched into the cache of all clones.
# shellcheck disable=SC2154  # cache_folder comes from libtorch.sh, and work from fetch.sh.

oldest_cmake=3.25

fetched_cmake() { printf '%s/cmake-%s\n' "$cache_folder" "$(pinned_version cmake)"; }

# Adds the CMake that an earlier call fetched to PATH.
use_fetched_cmake() {
  local tools
  tools=$(fetched_cmake)/cmake/data/bin
  [[ ! -x $tools/cmake ]] || PATH=$tools:$PATH
}

require_cmake() {
  local version
  version=$(cmake --version | awk 'NR == 1 { print $3 }')
  version_at_least "$version" "$oldest_cmake" && return
  say "fetching CMake (30 MB), because the system's $version is older than $oldest_cmake"
  fetch_into "$(fetched_cmake)" install_pinned cmake CMake ", or install version $oldest_cmake or newer"
  use_fetched_cmake
}
