# shellcheck shell=bash
# shellcheck disable=SC2154 # root, results and build_folder come from the script that sources this
# Packs the files that gpu-check.sh needs on a machine without network: programs, libraries,
# datasets, and optionally LibTorch.

# Sets GPUBENCH and TESTS to the given, packed, or built programs.
find_programs() {
  if [[ -z ${GPUBENCH:-} && -x $root/bin/gpubench ]]; then use_pack; fi
  export GPUBENCH=${GPUBENCH:-$build_folder/gpubench} TESTS=${TESTS:-$build_folder/tests} ROOT=$root
  [[ -x $GPUBENCH ]] || fail "$GPUBENCH is missing; run $(build_line) first, or set GPUBENCH"
}

# Prints the command that builds the programs. Without the variable, a build machine without GPU
# fetches the CPU LibTorch.
build_line() { [[ ${DEVICE:-} != cuda* ]] || printf 'GPUBENCH_TORCH_FLAVOR=cuda '; echo scripts/test.sh; }

# Sets up the packed programs. LibTorch is in the pack or on this machine.
use_pack() {
  local needed folder libraries
  needed=$(<"$root/torch-version")
  torch_folder=
  if [[ -d $root/site/torch ]]; then torch_folder=$root/site/torch; else given_torch; fi
  [[ -n $torch_folder ]] || torch_folder=$(locate_python_torch)
  [[ -n $torch_folder && $(read_torch_version "$torch_folder") == "$needed" ]] ||
    fail "LibTorch $needed is missing; set GPUBENCH_TORCH to its folder, or pack it with --with-torch"
  libraries=$root/lib:$torch_folder/lib
  for folder in "${torch_folder%/*}"/nvidia/*/lib; do libraries=$libraries:$folder; done
  export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export GPUBENCH_DATA_DIR=${GPUBENCH_DATA_DIR:-$root/data} GPUBENCH=$root/bin/gpubench TESTS=$root/bin
}

# pack FOLDER WITH_TORCH DATASET...: the datasets are folders of GPUBENCH_DATA_DIR.
pack() {
  local folder=$1 with_torch=$2 dataset
  shift 2
  [[ ! -e $folder ]] || fail "--pack $folder: already exists; remove it, or give another folder"
  if is_mac; then fail "--pack: needs Linux"; fi
  torch_folder=$(tail -n 1 "$build_folder/gpubench-set-up")
  [[ ${DEVICE:-} != cuda* || -e $torch_folder/lib/libtorch_cuda.so ]] ||
    fail "--pack $folder: the build has no CUDA; run $(build_line) first"
  mkdir -p "$folder/bin" "$folder/lib" "$folder/data" "$folder/scripts"
  pack_programs "$folder"
  cp -R "$root/bench" "$folder/"
  cp -R "$root/scripts/gpu-check.sh" "$root/scripts/lib" "$folder/scripts/"
  for dataset in "$@"; do cp -R "${GPUBENCH_DATA_DIR:-$HOME/.cache/gpubench/data}/$dataset" "$folder/data/"; done
  read_torch_version "$torch_folder" >"$folder/torch-version"
  if [[ $with_torch == yes ]]; then pack_torch "$folder/site"; fi
  say "$(du -sm "$folder" | awk '{ print $1 }') MB in $folder"
}

# Copies the programs and their libraries, except LibTorch and the C and C++ runtime.
pack_programs() {
  local program library
  for program in "$GPUBENCH" "$TESTS"/gpubench_engine_tests; do
    [[ -x $program ]] || continue
    cp "$program" "$1/bin/"
    strip --strip-debug "$1/bin/${program##*/}" 2>/dev/null || true
    ldd "$program" | awk '$3 ~ /^\// { print $3 }' |
      { grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libgcc_s|libstdc\+\+)\.so|/(torch|nvidia)/' || true; } |
      while read -r library; do cp -L "$library" "$1/lib/"; done
  done
}

# Copies the libraries of LibTorch, and the headers with its version.
pack_torch() {
  local part
  (cd "${torch_folder%/*}" && find torch/lib nvidia/*/lib torch/include -name '*.so*' -o -name version.h) |
    while read -r part; do
      mkdir -p "$1/${part%/*}"
      cp -P "${torch_folder%/*}/$part" "$1/$part"
    done
}
