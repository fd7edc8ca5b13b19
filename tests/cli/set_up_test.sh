#!/usr/bin/env bash
# Tests set-up and build on simulated machines, whose commands are shell functions. Installs,
# fetches and builds nothing.
# shellcheck disable=SC2016  # The inner shell expands.

# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"

# on MACHINE COMMAND: runs the command in a shell with the functions of the scripts and then of
# MACHINE, with its own cache and build folder; sets `status`.
on() {
  status=0
  rm -rf "$folder/build" && mkdir -p "$folder/build" "$folder/bin"
  env -u GPUBENCH_TORCH -u GPUBENCH_TORCH_FLAVOR -u CMAKE_PREFIX_PATH \
    folder="$folder" XDG_CACHE_HOME="$folder/cache" PATH="$folder/bin:$PATH" bash -c '
      source "$1/scripts/lib/build.sh"
      build_folder=$folder/build
      has_nvidia_driver() { return 1; }
      prefix_torch() { return 0; }
      python_torch() { return 0; }
      apt-get() { return 1; }
      '"$1"'
      '"$2" on "$root" >"$folder/stdout" 2>"$folder/stderr" || status=$?
}

# A fake pip that installs empty files, with libtorch_cuda.so if $cuda is set; fails if $altered is.
pip_that_works='
  python3() {
    local site=$work/site
    [[ -z ${altered:-} || "$*" != *install* ]] || return 1
    case "$* $([[ ! -e $work/pins.txt || "$*" != *--require-hashes* ]] || cat "$work/pins.txt")" in
      *--version) ;;
      *torch==*)
        mkdir -p "$site/torch/include/torch/headeronly" "$site/torch/lib" "$site/torch-2.11.0.dist-info"
        printf "#define TORCH_VERSION_%s %s\n" MAJOR 2 MINOR 11 PATCH 0 >"$site/torch/include/torch/headeronly/version.h"
        touch "$site/torch/lib/libtorch_cpu.so"
        [[ -z ${cuda:-} ]] || touch "$site/torch/lib/libtorch_cuda.so"
        ;;
      *cmake==*)
        mkdir -p "$site/cmake/data/bin"
        printf "#!/bin/sh\necho cmake version 3.31.6\n" >"$site/cmake/data/bin/cmake"
        chmod +x "$site/cmake/data/bin/cmake"
        ;;
    esac
  }'

test_a_translated_shell_on_a_mac_is_rejected() {
  on 'uname() { echo Darwin; }; sysctl() { echo 1; }; brew() { echo brew was called >&2; }' 'set_up build'
  check "a shell under Rosetta fails set-up" is "$status" 1
  check "the message names Rosetta" says stderr "runs under Rosetta"
  check "no package is installed before" lacks stderr "brew was called"
}

test_platforms_without_published_libtorch_are_rejected() {
  on 'uname() { if [[ ${1:-} == -sm ]]; then echo Darwin x86_64; else echo Darwin; fi; }' 'choose_flavor; find_torch'
  check "an Intel Mac is rejected" is "$status" 1
  check "the message names the platform of the Mac" says stderr "not published for Darwin x86_64"
  on 'uname() { echo Linux riscv64; }' 'choose_flavor; find_torch'
  check "the message names the platform of another processor" says stderr "not published for Linux riscv64"
  check "the message does not blame the network" lacks stderr "connect to the network"
}

test_a_missing_pip_is_reported() {
  on 'uname() { echo Linux x86_64; }; have() { [[ $1 == python3 || $1 == dnf ]]; }; python3() { return 1; }' \
    'choose_flavor; find_torch'
  check "set-up without pip fails" is "$status" 1
  check "the message has the command that installs pip" says stderr "pip is missing; run: dnf install gcc-c++"
  check "the message does not blame the network" lacks stderr "connect to the network"
}

test_missing_tools_are_reported_with_the_names_of_the_system() {
  on 'uname() { echo Linux; }; have() { [[ $1 == pacman ]]; }' 'require_packages test'
  check "a missing compiler fails set-up" is "$status" 1
  check "the message has pacman's packages" says stderr "c++ is missing; run: pacman -S --needed base-devel"
  check "the message has the packages for tests" says stderr " catch2 "
}

test_a_toolkit_without_a_driver_fetches_no_cuda() {
  if [[ -e /proc/driver/nvidia/version || $(/sbin/ldconfig -p 2>/dev/null) == *libcuda.so.1* ]]; then
    echo "skipped: the flavor without a driver, since this machine has one"
    return
  fi
  local toolkit='source "$root/scripts/lib/libtorch.sh"; export CUDA_HOME=/usr/local/cuda; nvcc() { :; }'
  on "$toolkit; nvidia-smi() { echo NVIDIA-SMI has failed; return 9; }" 'choose_flavor; echo "$torch_flavor"'
  check "a toolkit without a driver selects the CPU LibTorch" says stdout slim
  on "$toolkit; nvidia-smi() { echo 'GPU 0: NVIDIA H200'; }" 'choose_flavor; echo "$torch_flavor"'
  check "a GPU that the driver lists selects the CUDA LibTorch" says stdout cuda
}

test_libtorch_with_cuda_has_cuda() {
  local machine="uname() { echo Linux aarch64; }; $pip_that_works; has_nvidia_driver() { return 0; }"
  on "$machine" 'choose_flavor; find_torch'
  check "a wheel without CUDA is rejected for the flavor cuda" is "$status" 1
  check "the message names CUDA" says stderr "has no CUDA"
  check "the wheel without CUDA is not kept" test ! -e "$folder/cache/gpubench/libtorch-2.11.0-cuda"
  on "cuda=yes; $machine" 'choose_flavor; find_torch'
  check "a wheel with CUDA is accepted" is "$status" 0
  check "the wheel with CUDA is kept" test -e "$folder/cache/gpubench/libtorch-2.11.0-cuda/torch/lib/libtorch_cuda.so"
}

test_fetched_packages_have_a_checksum() {
  local machine="uname() { [[ \$1 == -m ]] || printf \"Linux \"; echo x86_64; }; altered=yes; $pip_that_works"
  on "$machine" 'choose_flavor; find_torch'
  check "an altered LibTorch fails set-up" is "$status" 1
  check "the message names LibTorch" says stderr "cannot fetch LibTorch 2.11.0; connect to the network, or set PIP_INDEX_URL to a mirror"
  on 'uname() { echo Linux x86_64; }; install_pinned() { select_pins "$1" | grep -c ==; }; trim_torch() { :; }; cuda_flaw() { :; }' \
    'for torch_flavor in slim cuda macos; do fill_torch; done; select_pins cmake'
  check "the flavors slim, cuda and macos need 3, 17 and 1 packages" is "$(head -n 3 "$folder/stdout" | tr '\n' ' ')" "3 17 1 "
  check "each supported platform has a checksum" is "$(grep -c -- '--hash=sha256:[0-9a-f]\{64\}' "$folder/stdout")" 4
}

test_an_old_cmake_is_replaced() {
  printf '#!/bin/sh\necho cmake version 3.22.1\n' >"$folder/bin/cmake"
  chmod +x "$folder/bin/cmake"
  on "$pip_that_works" 'require_cmake; cmake --version; ls $cache_folder'
  check "a newer CMake is fetched" is "$status" 0
  check "the fetched CMake is used" says stdout "cmake version 3.31.6"
  check "no working folder is left" lacks stdout work
  on 'python3() { echo python3 was called >&2; return 1; }' 'use_fetched_cmake; cmake --version'
  check "a later call uses the fetched CMake" says stdout "cmake version 3.31.6"
  check "a later call fetches nothing" lacks stderr "python3 was called"
  rm -rf "$folder/bin/cmake" "$folder/cache/gpubench/cmake-"*
}

# A machine that is set up, whose first $broken builds fail.
builder='
  cmake() { echo build; ((broken-- <= 0)); }
  prepare() { echo prepare >&2; is_fresh=yes; }
  is_set_up() { return 0; }'

test_a_failed_build_repeats_set_up_once() {
  on "$builder; broken=1" 'set_up build; build gpubench'
  check "a build that needed a new configure succeeds" is "$status" 0
  check "set-up runs between the builds" is "$(tr '\n' ' ' <"$folder/stderr")" \
    "build gpubench: the build failed; repeating set-up and build prepare build "
  on "$builder; broken=2" 'set_up build; build gpubench; echo run'
  check "a build that fails twice exits with 1" is "$status" 1
  check "the program is not run then" lacks stdout run
  on "$builder; broken=1; is_set_up() { return 1; }" 'set_up build; build gpubench'
  check "a build directly after set-up is not repeated" is "$status" 1
  check "it is built once" is "$(tr '\n' ' ' <"$folder/stderr")" "prepare build "
}

run_tests
