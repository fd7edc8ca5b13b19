#!/usr/bin/env bash
# Builds the files of a release: archives that need no compiler, a Debian package, and checksums.
# Reproducible: the same sources on the same system give the same bytes.
# usage: scripts/package.sh [--output DIR] [cpu] [small] [deb]
#
#   cpu           Archive with program, engine and LibTorch for the CPU (on macOS also for MPS)
#   small         Archive with engines for CPU and CUDA; 'gpubench setup' fetches LibTorch
#   deb           The small archive as a Debian package
#   --output DIR  Folder for the files (default build/package/out)
#
# Without arguments, builds all that this system supports.

set -euo pipefail
# shellcheck source=scripts/lib/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/build.sh"
# shellcheck source=scripts/packaging/static.sh
source "$root/scripts/packaging/static.sh"
# shellcheck source=scripts/packaging/release.sh
source "$root/scripts/packaging/release.sh"

place=$root/build/package
output=$place/out

parse() {
  wanted=()
  while (($#)); do
    case $1 in
      --output)
        [[ -n ${2:-} ]] || fail "--output: its value is missing; give a folder"
        output=$2
        shift
        ;;
      cpu | small | deb) wanted+=("$1") ;;
      -h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" && exit 0 ;;
      *) fail "$1: unknown argument; give --output DIR, cpu, small or deb" ;;
    esac
    shift
  done
  if is_mac; then
    [[ ${wanted[*]-cpu} == cpu ]] || fail "${wanted[*]}: unsupported on macOS; give cpu, or leave it out"
    wanted=(cpu)
  fi
  ((${#wanted[@]})) || wanted=(cpu small deb)
}

is_wanted() { [[ " ${wanted[*]} " == *" $1 "* ]]; }

# Prints the packages that a release needs in addition to those of a build.
package_tools() {
  if is_mac; then echo "zstd"; else echo "dpkg-dev zstd binutils xz-utils"; fi
}

prepare_release() {
  refuse_rosetta
  require_packages build
  require_cmake
  if is_mac; then require_brew "$(package_tools)"; else require_apt "$(package_tools)" ""; fi
  own_version=$(project_version)
  # The time of the commit, so that the files do not depend on the time of the build.
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
  export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
  mkdir -p "$place" "$output"
  output=$(cd "$output" && pwd)
  build_static "$place/static"
}

# build_flavor FLAVOR TARGET...: builds in $place/FLAVOR with the fetched LibTorch of that flavor.
build_flavor() {
  torch_flavor=$1
  build_folder=$place/$1
  fetched_torch
  configure_flavor
  shift
  local target
  for target in "$@"; do build_target "$target"; done
}

configure_flavor() {
  local prefix=$place/static flags
  flags="-ffile-prefix-map=$root=. -ffile-prefix-map=${torch_folder%/*}=libtorch"
  is_mac && prefix="$prefix;$(brew_prefixes)"
  local launcher=()
  if have ccache; then
    launcher=("-DCMAKE_CXX_COMPILER_LAUNCHER=$(compiler_cache)")
    flags="$flags $(cache_flags)"
  fi
  rm -f "$build_folder/CMakeCache.txt"
  say "configuring the flavor $torch_flavor"
  cmake -S "$root" -B "$build_folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DGPUBENCH_WERROR=ON -DGPUBENCH_EMBED_ENGINE=OFF \
    -DGPUBENCH_STATIC=ON "-DCMAKE_PREFIX_PATH=$prefix" "-DGPUBENCH_TORCH=$torch_folder" \
    "-DGPUBENCH_PACKAGES_HINT=$(packages_hint build)" "-DCMAKE_CXX_FLAGS=$flags" ${launcher[@]+"${launcher[@]}"} >&2
}

# stage FOLDER [torch]: installs the program with all licences; with "torch", also LibTorch.
stage() {
  local folder=$1
  rm -rf "$folder"
  cmake --install "$place/$own_flavor" --prefix "$folder" --strip >/dev/null
  write_licences "$folder/share/doc/gpubench/licenses"
  if [[ ${2:-} == torch ]]; then
    cmake --install "$place/$own_flavor" --prefix "$folder" --component torch >/dev/null
  fi
}

make_cpu() {
  local name=gpubench-$own_version-$platform-cpu
  if is_mac; then name=gpubench-$own_version-$platform; fi
  stage "$place/stage/$name" torch
  pack_archive "$name"
}

stage_small() {
  stage "$1"
  mkdir -p "$1/lib/gpubench/cuda"
  cp "$place/cuda/libgpubench_engine.so" "$1/lib/gpubench/cuda/"
  strip --strip-unneeded "$1/lib/gpubench/cuda/libgpubench_engine.so"
}

make_small() {
  local name=gpubench-$own_version-$platform
  stage_small "$place/stage/$name"
  pack_archive "$name"
}

make_deb() {
  stage_small "$place/stage/deb/usr"
  pack_deb "$place/stage/deb"
}

parse "$@"
prepare_release
own_flavor=slim
if is_mac; then own_flavor=macos; fi
platform=$(platform_name)
build_flavor "$own_flavor" gpubench gpubench_engine
if is_wanted small || is_wanted deb; then build_flavor cuda gpubench_engine; fi
require_old_systems_symbols
for kind in "${wanted[@]}"; do "make_$kind"; done
write_checksums
