#!/usr/bin/env bash
# Set-up and build on machines that are made of functions which take the place of their commands. Nothing is installed,
# fetched or built.
# shellcheck disable=SC2016  # It is the inner shell that expands.

# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"

# on MACHINE COMMAND: sets `status` to the outcome of the command in a shell that has the scripts' functions and then the
# machine's; a folder of its own is cache and build.
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

# A python3 whose pip puts empty files in place of what it is asked for; libtorch_cuda.so is among them where $cuda is set.
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

test_a_translated_shell_of_a_mac_is_refused() {
  on 'uname() { echo Darwin; }; sysctl() { echo 1; }; brew() { echo brew was asked >&2; }' 'set_up build'
  check "a shell under Rosetta ends set-up" is "$status" 1
  check "the reason is said" says stderr "runs under Rosetta"
  check "nothing was installed before" lacks stderr "brew was asked"
}

test_machines_without_published_libtorch_are_named() {
  on 'uname() { if [[ ${1:-} == -sm ]]; then echo Darwin x86_64; else echo Darwin; fi; }' 'choose_flavor; find_torch'
  check "a Mac with an Intel processor is refused" is "$status" 1
  check "its processor is the reason" says stderr "not published for Darwin x86_64"
  on 'uname() { echo Linux riscv64; }' 'choose_flavor; find_torch'
  check "another processor is the reason too" says stderr "not published for Linux riscv64"
  check "the network is not blamed" lacks stderr "connect to the network"
}

test_the_missing_pip_is_said() {
  on 'uname() { echo Linux x86_64; }; have() { [[ $1 == python3 || $1 == dnf ]]; }; python3() { return 1; }' \
    'choose_flavor; find_torch'
  check "set-up without pip ends" is "$status" 1
  check "what brings pip is said" says stderr "python3 has no pip; run: dnf install gcc-c++"
  check "the network is not blamed" lacks stderr "connect to the network"
}

test_missing_tools_are_named_as_the_system_names_them() {
  on 'uname() { echo Linux; }; have() { [[ $1 == pacman ]]; }' 'require_packages test'
  check "a missing compiler ends set-up" is "$status" 1
  check "pacman's packages are named" says stderr "c++ is missing; run: pacman -S --needed base-devel"
  check "those of tests too" says stderr " catch2 "
}

test_a_toolkit_without_a_driver_fetches_no_cuda() {
  if [[ -e /proc/driver/nvidia/version || $(/sbin/ldconfig -p 2>/dev/null) == *libcuda.so.1* ]]; then
    echo "not looked at, since there is a driver: what is fetched without one"
    return
  fi
  local toolkit='source "$root/scripts/lib/libtorch.sh"; export CUDA_HOME=/usr/local/cuda; nvcc() { :; }'
  on "$toolkit; nvidia-smi() { echo NVIDIA-SMI has failed; return 9; }" 'choose_flavor; echo "$torch_flavor"'
  check "a toolkit alone asks for the CPU's LibTorch" says stdout slim
  on "$toolkit; nvidia-smi() { echo 'GPU 0: NVIDIA H200'; }" 'choose_flavor; echo "$torch_flavor"'
  check "a GPU that the driver lists asks for CUDA's" says stdout cuda
}

test_libtorch_with_cuda_has_cuda() {
  local machine="uname() { echo Linux aarch64; }; $pip_that_works; has_nvidia_driver() { return 0; }"
  on "$machine" 'choose_flavor; find_torch'
  check "a wheel without CUDA is refused where there is CUDA" is "$status" 1
  check "that is the reason" says stderr "has no CUDA part"
  check "it is not kept" test ! -e "$folder/cache/gpubench/libtorch-2.11.0-cuda"
  on "cuda=yes; $machine" 'choose_flavor; find_torch'
  check "one with CUDA is taken" is "$status" 0
  check "it is kept" test -e "$folder/cache/gpubench/libtorch-2.11.0-cuda/torch/lib/libtorch_cuda.so"
}

test_what_is_fetched_has_a_checksum() {
  local machine="uname() { [[ \$1 == -m ]] || printf \"Linux \"; echo x86_64; }; altered=yes; $pip_that_works"
  on "$machine" 'choose_flavor; find_torch'
  check "LibTorch that pip finds altered ends set-up" is "$status" 1
  check "is named" says stderr "cannot fetch LibTorch 2.11.0; connect to the network, or name a mirror with PIP_INDEX_URL"
  on 'uname() { echo Linux x86_64; }; install_pinned() { pins_of "$1" | grep -c ==; }; trim_torch() { :; }; cuda_flaw() { :; }' \
    'for torch_flavor in slim cuda macos; do fill_torch; done; pins_of cmake'
  check "the CPU needs LibTorch and two libraries, CUDA all, a Mac LibTorch alone" is "$(head -n 3 "$folder/stdout" | tr '\n' ' ')" "3 17 1 "
  check "each has checksums" is "$(grep -c -- '--hash=sha256:[0-9a-f]\{64\}' "$folder/stdout")" 4
}

test_an_old_cmake_is_replaced() {
  printf '#!/bin/sh\necho cmake version 3.22.1\n' >"$folder/bin/cmake"
  chmod +x "$folder/bin/cmake"
  on "$pip_that_works" 'require_cmake; cmake --version; ls $cache_folder'
  check "a newer CMake is fetched" is "$status" 0
  check "it is used" says stdout "cmake version 3.31.6"
  check "nothing is left beside it" lacks stdout work
  on 'python3() { echo python3 was asked >&2; return 1; }' 'use_fetched_cmake; cmake --version'
  check "a later call uses it" says stdout "cmake version 3.31.6"
  check "and fetches nothing" lacks stderr "python3 was asked"
  rm -rf "$folder/bin/cmake" "$folder/cache/gpubench/cmake-"*
}

# A machine whose builds fail so often as $broken says, and that is ready to build.
builder='
  cmake() { echo build; ((broken-- <= 0)); }
  prepare() { echo prepare >&2; is_fresh=yes; }
  is_set_up() { return 0; }'

test_a_failed_build_is_tried_once_more_from_set_up_on() {
  on "$builder; broken=1" 'set_up build; build gpubench'
  check "a build that needed a new configure succeeds" is "$status" 0
  check "it was configured between" is "$(tr '\n' ' ' <"$folder/stderr")" \
    "build gpubench: the build failed; once more from set-up on prepare build "
  on "$builder; broken=2" 'set_up build; build gpubench; echo run'
  check "a build that fails twice ends with an error" is "$status" 1
  check "nothing is run then" lacks stdout run
  on "$builder; broken=1; is_set_up() { return 1; }" 'set_up build; build gpubench'
  check "a build just configured is not tried again" is "$status" 1
  check "it was built once" is "$(tr '\n' ' ' <"$folder/stderr")" "prepare build "
}

run_tests
