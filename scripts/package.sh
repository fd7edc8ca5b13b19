#!/usr/bin/env bash
# Makes what a release consists of: archives that run on a machine without a compiler, a Debian package,
# checksums. The same sources on the same system give the same bytes.
# usage: scripts/package.sh [--output DIR] [cpu] [small] [deb]
#   cpu     program, engine for the CPU, LibTorch beside it (on macOS: for CPU and MPS, and the only archive there)
#   small   program, engines for CPU and CUDA; `gpubench setup` fetches LibTorch
#   deb     the same as a Debian package
# Without a word all that this system can make. DIR is build/package/out by default.

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
        [[ -n ${2:-} ]] || fail "--output: give a folder"
        output=$2
        shift
        ;;
      cpu | small | deb) wanted+=("$1") ;;
      -h | --help) sed -n 's/^# \{0,1\}//p' "$0" | sed -n '2,/^Without/p' && exit 0 ;;
      *) fail "$1 is not known; give --output DIR, cpu, small or deb" ;;
    esac
    shift
  done
  if is_mac; then
    [[ ${wanted[*]-cpu} == cpu ]] || fail "${wanted[*]}: on macOS there is one archive; give none of these words"
    wanted=(cpu)
  fi
  ((${#wanted[@]})) || wanted=(cpu small deb)
}

is_wanted() { [[ " ${wanted[*]} " == *" $1 "* ]]; }

# What a release needs besides what a build needs.
package_tools() {
  if is_mac; then echo "zstd"; else echo "dpkg-dev zstd binutils xz-utils"; fi
}

prepare_release() {
  refuse_rosetta
  require_packages build
  require_cmake
  if is_mac; then require_brew "$(package_tools)"; else require_apt "$(package_tools)" ""; fi
  own_version=$(project_version)
  # Of the commit, so that it does not depend on the day.
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || date +%s)}
  export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
  mkdir -p "$place" "$output"
  output=$(cd "$output" && pwd)
  build_static "$place/static"
}

# build_flavor FLAVOR TARGET...: in $place/FLAVOR, against the LibTorch of that flavour that set-up fetches.
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
  say "configuring the flavour $torch_flavor"
  cmake -S "$root" -B "$build_folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DGPUBENCH_WERROR=ON -DGPUBENCH_EMBED_ENGINE=OFF \
    -DGPUBENCH_STATIC=ON "-DCMAKE_PREFIX_PATH=$prefix" "-DGPUBENCH_TORCH=$torch_folder" \
    "-DGPUBENCH_PACKAGES_HINT=$(packages_hint build)" "-DCMAKE_CXX_FLAGS=$flags" ${launcher[@]+"${launcher[@]}"} >&2
}

# stage FOLDER [COMPONENT]: what is installed for either kind of archive, with the licences of all that is in it.
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
