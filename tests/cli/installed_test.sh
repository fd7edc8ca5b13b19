#!/usr/bin/env bash
# Tests an installation with a LibTorch that is bundled, set up, given, or missing; moved, renamed,
# without the build folder, and as another user.
# usage: installed_test.sh CMAKE BUILD_FOLDER TORCH_FOLDER

# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"
cmake=$1
build_folder=$2
torch=$3
unset GPUBENCH_TORCH GPUBENCH_ENGINE LD_LIBRARY_PATH
# Readable for another user.
chmod 755 "$folder"
training=(--model mlp --dataset synthetic --max-samples 256 --epochs 2 --quiet -o -)

# runs COMMAND...: runs a command and sets `status`.
runs() {
  status=0
  "$@" >"$folder/stdout" 2>"$folder/stderr" || status=$?
}

# Runs the installed program with its own cache.
gpubench() { runs env XDG_CACHE_HOME="$folder/cache" "$folder/program/bin/gpubench" "$@"; }

installation() {
  rm -rf "$folder/program" "$folder/cache"
  "$cmake" --install "$build_folder" --prefix "$folder/program" >/dev/null
}

# with_torch: adds LibTorch as `gpubench setup` does.
with_torch() {
  local site
  site=$folder/cache/gpubench/libtorch-$("$folder/program/bin/gpubench" --version | awk '$1 == "LibTorch" { gsub(/[()]/, ""); print $2 "-" $3 }')
  mkdir -p "$site" && chmod 755 "$site"
  ln -s "$torch" "$site/torch"
  ln -s "$(dirname "$torch")/nvidia" "$site/nvidia"
}

one_line() { [[ $(count_lines stderr) == 1 ]] && says stderr "$1"; }

test_all_files_are_installed() {
  installation
  local file
  for file in bin/gpubench lib/gpubench/libgpubench_engine.so share/doc/gpubench/LICENSE share/gpubench/suites/quick.json \
    share/gpubench/schema share/bash-completion/completions/gpubench; do
    check "$file is installed" test -e "$folder/program/$file"
  done
  check "no file contains the path of the build folder" is \
    "$(grep -rlF "$build_folder" "$folder/program/lib" "$folder/program/share" || true)" ""
}

# elsewhere COMMAND...: runs a command as another user, without build folder and its LibTorch.
elsewhere() {
  # shellcheck disable=SC2016 # The inner shell expands.
  local script='mount -t tmpfs none "$1" && mount -t tmpfs none "$2" && shift 2 && exec "$@"'
  runs unshare --mount bash -c "$script" - "$(dirname "$torch")" "$build_folder" \
    setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent XDG_CACHE_HOME=/nonexistent XDG_STATE_HOME=/nonexistent "$@"
}

test_a_bundled_installation_is_relocatable() {
  installation
  GPUBENCH_BUNDLE_LINKS=yes "$cmake" --install "$build_folder" --prefix "$folder/program" --component torch >/dev/null
  mkdir -p "$folder/moved"
  mv "$folder/program" "$folder/moved/under another name"
  runs env XDG_CACHE_HOME="$folder/cache" "$folder/moved/under another name/bin/gpubench" "${training[@]}"
  check "a moved and renamed installation trains" is "$status" 0
  runs env XDG_CACHE_HOME="$folder/cache" "$folder/moved/under another name/bin/gpubench" setup
  check "setup reports the bundled LibTorch" says stderr "is part of this installation"
  check "setup fetches nothing" test ! -e "$folder/cache/gpubench/setup"
  if unshare --mount setpriv --version >/dev/null 2>&1 && unshare --mount mount -t tmpfs none /mnt 2>/dev/null; then
    elsewhere "$folder/moved/under another name/bin/gpubench" "${training[@]}"
    check "the installation trains as another user without the build folder" is "$status" 0
  else
    echo "skipped: running as another user without the build folder, which needs root"
  fi
  rm "$folder/moved/under another name/lib/gpubench/torch/lib/"libc10.*
  echo damaged >"$folder/moved/under another name/lib/gpubench/torch/lib/libc10.so"
  runs "$folder/moved/under another name/bin/gpubench" "${training[@]}"
  check "a damaged library exits with 2, not $status" is "$status" 2
  check "a damaged library is reported in one line with the remedy" one_line "install gpubench again"
  rm -rf "$folder/moved"
}

test_commands_without_libtorch() {
  installation
  gpubench "${training[@]}"
  check "training without LibTorch exits with 2, not $status" is "$status" 2
  check "the message has the remedy in one line" one_line "is not set up; run 'gpubench setup'"
  gpubench list models
  check "'list models' needs LibTorch" one_line "run 'gpubench setup'"
  gpubench doctor
  check "'doctor' works without LibTorch" is "$status" 0
  check "'doctor' reports the missing LibTorch" says stdout "'gpubench setup'"
  local file=$root/tests/data/expected/run.json
  for command in "show $file" "compare $file $file" "file validate $file" "report $file -o $folder/page.html" "help comparing"; do
    # shellcheck disable=SC2086 # Several words.
    gpubench $command
    check "'$command' works without LibTorch" is "$status" 0
  done
  gpubench complete --model ''
  check "completion of models works without LibTorch" says stdout "resnet50"
  gpubench complete --device ''
  check "completion of devices prints nothing without LibTorch" is "$(cat "$folder/stdout" "$folder/stderr")" ""
}

test_the_program_finds_the_libtorch_of_setup() {
  installation
  with_torch
  gpubench "${training[@]}"
  check "the program trains" is "$status" 0
  rm -rf "$folder/cache/gpubench"/libtorch-*/torch
  mkdir -p "$(echo "$folder/cache/gpubench"/libtorch-*)/torch/lib"
  echo damaged >"$(echo "$folder/cache/gpubench"/libtorch-*)/torch/lib/libtorch_cpu.so"
  gpubench "${training[@]}"
  check "a damaged LibTorch exits with 2, not $status" is "$status" 2
  check "a damaged LibTorch is reported in one line with the remedy" one_line "run 'gpubench setup --force'"
  echo damaged >"$folder/program/lib/gpubench/libgpubench_engine.so"
  gpubench "${training[@]}"
  check "a damaged engine exits with 2, not $status" is "$status" 2
  check "a damaged engine is reported in one line with the remedy" one_line "install gpubench again"
}

test_a_given_libtorch_must_have_the_right_version() {
  installation
  GPUBENCH_TORCH=$torch gpubench "${training[@]}"
  check "the right version works" is "$status" 0
  mkdir -p "$folder/old/include/torch/headeronly" "$folder/old/lib"
  printf '#define TORCH_VERSION_%s\n' 'MAJOR 2' 'MINOR 4' 'PATCH 1' >"$folder/old/include/torch/headeronly/version.h"
  GPUBENCH_TORCH=$folder/old gpubench "${training[@]}"
  check "another version exits with 2, not $status" is "$status" 2
  check "another version is reported in one line" one_line "is LibTorch 2.4.1, but gpubench needs"
  GPUBENCH_TORCH=$folder/none gpubench "${training[@]}"
  check "a folder without LibTorch is reported in one line" one_line "contains no LibTorch"
}

test_setup_reports_errors_in_one_line() {
  installation
  mkdir -p "$folder/empty"
  gpubench setup --from "$folder/empty"
  check "a folder without the files exits with 3, not $status" is "$status" 3
  check "the missing file is reported" one_line "has no file of torch"
  gpubench setup --torch 1.0
  check "a version without checksums is rejected" one_line "--torch 1.0: has no pinned checksums"
  gpubench setup --device tpu
  check "an unknown device is rejected" one_line "--device tpu: give cpu or cuda"
  echo >"$folder/file"
  runs env XDG_CACHE_HOME="$folder/file" "$folder/program/bin/gpubench" setup --from "$folder/empty"
  check "a cache that cannot be written exits with 3, not $status" is "$status" 3
  check "the message has the remedy" one_line "name another folder with XDG_CACHE_HOME"
  runs env -u HOME -u XDG_CACHE_HOME "$folder/program/bin/gpubench" setup
  check "a missing home is reported" one_line "neither XDG_CACHE_HOME nor HOME is set"
  gpubench setup remove
  check "removing a missing LibTorch is reported" one_line "is not set up; see 'gpubench setup list'"
  gpubench setup list
  check "none of these set up a LibTorch" is "$(count_lines stdout)" 1
}

run_tests
