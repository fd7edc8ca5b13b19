#!/usr/bin/env bash
# What is installed, with a LibTorch beside it, set up for it, named, or missing: moved, renamed, without its builder's files,
# and as another user.
# usage: installed_test.sh CMAKE BUILD_FOLDER TORCH_FOLDER

# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"
cmake=$1
build_folder=$2
torch=$3
unset GPUBENCH_TORCH GPUBENCH_ENGINE LD_LIBRARY_PATH
# Another user has to reach it.
chmod 755 "$folder"
training=(--model mlp --dataset synthetic --max-samples 256 --epochs 2 --quiet -o -)

# runs COMMAND...: sets `status`.
runs() {
  status=0
  "$@" >"$folder/stdout" 2>"$folder/stderr" || status=$?
}

# The program, with a cache of its own.
gpubench() { runs env XDG_CACHE_HOME="$folder/cache" "$folder/program/bin/gpubench" "$@"; }

installation() {
  rm -rf "$folder/program" "$folder/cache"
  "$cmake" --install "$build_folder" --prefix "$folder/program" >/dev/null
}

# with_torch: a LibTorch as `gpubench setup` leaves one.
with_torch() {
  local site
  site=$folder/cache/gpubench/libtorch-$("$folder/program/bin/gpubench" --version | awk '$1 == "LibTorch" { gsub(/[()]/, ""); print $2 "-" $3 }')
  mkdir -p "$site" && chmod 755 "$site"
  ln -s "$torch" "$site/torch"
  ln -s "$(dirname "$torch")/nvidia" "$site/nvidia"
}

one_line() { [[ $(count_lines stderr) == 1 ]] && says stderr "$1"; }

test_all_that_belongs_to_it_is_installed() {
  installation
  local file
  for file in bin/gpubench lib/gpubench/libgpubench_engine.so share/doc/gpubench/LICENSE share/gpubench/suites/quick.json \
    share/gpubench/schema share/bash-completion/completions/gpubench; do
    check "$file is installed" test -e "$folder/program/$file"
  done
  check "nothing names the folder where it was built" is \
    "$(grep -rlF "$build_folder" "$folder/program/lib" "$folder/program/share" || true)" ""
}

# elsewhere COMMAND...: where there is neither the builder's LibTorch nor the builder, if this machine lets one try that.
elsewhere() {
  # shellcheck disable=SC2016 # It is the inner shell that expands.
  local script='mount -t tmpfs none "$1" && mount -t tmpfs none "$2" && shift 2 && exec "$@"'
  runs unshare --mount bash -c "$script" - "$(dirname "$torch")" "$build_folder" \
    setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent XDG_CACHE_HOME=/nonexistent XDG_STATE_HOME=/nonexistent "$@"
}

test_with_its_libtorch_it_runs_wherever_it_is_and_whoever_runs_it() {
  installation
  GPUBENCH_BUNDLE_LINKS=yes "$cmake" --install "$build_folder" --prefix "$folder/program" --component torch >/dev/null
  mkdir -p "$folder/moved"
  mv "$folder/program" "$folder/moved/under another name"
  runs env XDG_CACHE_HOME="$folder/cache" "$folder/moved/under another name/bin/gpubench" "${training[@]}"
  check "it trains in another folder under another name" is "$status" 0
  runs env XDG_CACHE_HOME="$folder/cache" "$folder/moved/under another name/bin/gpubench" setup
  check "it has nothing to set up" says stderr "came with this gpubench"
  check "and fetches nothing" test ! -e "$folder/cache/gpubench/setup"
  if unshare --mount setpriv --version >/dev/null 2>&1 && unshare --mount mount -t tmpfs none /mnt 2>/dev/null; then
    elsewhere "$folder/moved/under another name/bin/gpubench" "${training[@]}"
    check "it trains as another user, where its builder's files are gone" is "$status" 0
  else
    echo "skipped: who runs this may not hide the builder's files and become another user"
  fi
  rm "$folder/moved/under another name/lib/gpubench/torch/lib/"libc10.*
  echo damaged >"$folder/moved/under another name/lib/gpubench/torch/lib/libc10.so"
  runs "$folder/moved/under another name/bin/gpubench" "${training[@]}"
  check "a damaged library ends it" is "$status" 2
  check "in one line with the remedy" one_line "install gpubench again"
  rm -rf "$folder/moved"
}

test_without_libtorch_it_says_so_and_does_what_needs_none() {
  installation
  gpubench "${training[@]}"
  check "it cannot train" is "$status" 2
  check "and says in one line what to do" one_line "is not set up; run 'gpubench setup'"
  gpubench list models
  check "a list of models needs LibTorch too" one_line "run 'gpubench setup'"
  gpubench doctor
  check "what this machine is needs none" is "$status" 0
  check "it tells what is missing" says stdout "run 'gpubench setup'"
  local file=$root/tests/data/expected/run.json
  for command in "show $file" "compare $file $file" "file validate $file" "report $file -o $folder/page.html" "help comparing"; do
    # shellcheck disable=SC2086 # It is words.
    gpubench $command
    check "'$command' needs none" is "$status" 0
  done
  gpubench complete --model ''
  check "completion of models needs none" says stdout "resnet50"
  gpubench complete --device ''
  check "completion of devices is silent" is "$(cat "$folder/stdout" "$folder/stderr")" ""
}

test_it_finds_the_libtorch_that_is_set_up() {
  installation
  with_torch
  gpubench "${training[@]}"
  check "it trains" is "$status" 0
  rm -rf "$folder/cache/gpubench"/libtorch-*/torch
  mkdir -p "$(echo "$folder/cache/gpubench"/libtorch-*)/torch/lib"
  echo damaged >"$(echo "$folder/cache/gpubench"/libtorch-*)/torch/lib/libtorch_cpu.so"
  gpubench "${training[@]}"
  check "a damaged one ends it" is "$status" 2
  check "in one line with the remedy" one_line "run 'gpubench setup --force'"
  echo damaged >"$folder/program/lib/gpubench/libgpubench_engine.so"
  gpubench "${training[@]}"
  check "a damaged engine ends it too" is "$status" 2
  check "in one line with another remedy" one_line "install gpubench again"
}

test_a_named_libtorch_must_be_of_its_version() {
  installation
  GPUBENCH_TORCH=$torch gpubench "${training[@]}"
  check "the right one serves" is "$status" 0
  mkdir -p "$folder/old/include/torch/headeronly" "$folder/old/lib"
  printf '#define TORCH_VERSION_%s\n' 'MAJOR 2' 'MINOR 4' 'PATCH 1' >"$folder/old/include/torch/headeronly/version.h"
  GPUBENCH_TORCH=$folder/old gpubench "${training[@]}"
  check "another one ends it" is "$status" 2
  check "in one line with both versions" one_line "holds LibTorch 2.4.1, and this gpubench needs"
  GPUBENCH_TORCH=$folder/none gpubench "${training[@]}"
  check "so does a folder without one" one_line "holds no LibTorch"
}

test_set_up_tells_in_one_line_what_hinders_it() {
  installation
  mkdir -p "$folder/empty"
  gpubench setup --from "$folder/empty"
  check "a folder without its files ends set-up" is "$status" 3
  check "and says what is missing" one_line "has no file of torch"
  gpubench setup --torch 1.0
  check "a version without checksums is refused" one_line "--torch 1.0: its checksums are not known here"
  gpubench setup --device tpu
  check "so is a device that is none" one_line "--device tpu: give cpu or cuda"
  echo >"$folder/file"
  runs env XDG_CACHE_HOME="$folder/file" "$folder/program/bin/gpubench" setup --from "$folder/empty"
  check "a cache that cannot be written ends it" is "$status" 3
  check "with the remedy" one_line "name another folder with XDG_CACHE_HOME"
  runs env -u HOME -u XDG_CACHE_HOME "$folder/program/bin/gpubench" setup
  check "without a home it has no place" one_line "neither XDG_CACHE_HOME nor HOME is set"
  gpubench setup remove
  check "what is not there cannot be removed" one_line "is not set up; see 'gpubench setup list'"
  gpubench setup list
  check "nothing is left of all that" is "$(count_lines stdout)" 1
}

run_tests
