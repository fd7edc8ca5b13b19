#!/usr/bin/env bash
# The Homebrew formula, the conda recipe and the container file: what can be said of them without Homebrew, conda and containers.

# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"

have() { command -v "$1" >/dev/null 2>&1; }
packaging=$root/scripts/packaging
recipe=$packaging/conda/recipe.yaml
project_version=$(sed -n 's/^project(gpubench VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
releases=https://github.com/OWNER/gpubench/releases/download
archives="macos-arm64.tar.gz linux-x86_64-cpu.tar.zst linux-aarch64-cpu.tar.zst"

checksum_of_digit() { printf '%064d' 0 | tr 0 "$1"; }

# Those of a release 1.2.3, each of one digit: a for the first archive, b for the second, and so on. What the formula does not
# take stands between them.
make_sums() {
  local ending digits=abc
  for ending in $archives; do
    echo "$(checksum_of_digit 0)  gpubench-1.2.3-$ending.spdx.json"
    echo "$(checksum_of_digit "${digits:0:1}")  gpubench-1.2.3-$ending"
    digits=${digits:1}
  done >"$folder/SHA256SUMS"
}

# run COMMAND...: sets `status` to the outcome.
run() {
  status=0
  "$@" >"$folder/stdout" 2>"$folder/stderr" || status=$?
}

render() { run "$packaging/render-formula.sh" "$@"; }

# The checksum in the line after the one with the address of the archive.
rendered_checksum() { grep -A 1 -F -- "-$1\"" "$folder/stdout" | sed -n 's/^ *sha256 "\(.*\)"$/\1/p'; }

test_a_formula_is_made_of_a_release() {
  make_sums
  render 1.2.3 "$releases" "$folder/SHA256SUMS"
  check "a formula is made" is "$status" 0
  check "its homepage is the repository" says stdout 'homepage "https://github.com/OWNER/gpubench"'
  local ending digits=abc
  for ending in $archives; do
    check "$ending is fetched from the release" says stdout "url \"$releases/v1.2.3/gpubench-1.2.3-$ending\""
    check "the checksum of $ending follows" is "$(rendered_checksum "$ending")" "$(checksum_of_digit "${digits:0:1}")"
    digits=${digits:1}
  done
  check "nothing is left to be filled in" lacks stdout @
  if have ruby; then
    mv "$folder/stdout" "$folder/gpubench.rb"
    run ruby -c "$folder/gpubench.rb"
    check "it is Ruby" is "$status" 0
  else
    echo "not looked at, since ruby is not installed: whether the formula is Ruby"
  fi
}

test_no_formula_is_made_without_a_checksum() {
  local ending
  for ending in $archives; do
    make_sums
    sed -i.bak "/-$ending\$/d" "$folder/SHA256SUMS"
    render 1.2.3 "$releases" "$folder/SHA256SUMS"
    check "a release without $ending is refused" is "$status" 1
    check "the archive is named" says stderr "has no checksum of gpubench-1.2.3-$ending"
    check "that is one line" is "$(lines_of stderr)" 1
    check "no part of a formula is written" is "$(lines_of stdout)" 0
  done
}

test_what_is_no_release_is_refused() {
  make_sums
  render 1.2.4 "$releases" "$folder/SHA256SUMS"
  check "checksums of another version are refused" is "$status" 1
  render 1.2.3-rc1 "$releases" "$folder/SHA256SUMS"
  check "a preliminary version is refused" is "$status" 1
  check "it is named" says stderr "VERSION 1.2.3-rc1: "
  render 1.2.3 'https://github.com/OWNER/gpubench"; system "id' "$folder/SHA256SUMS"
  check "an address that is none of releases is refused" is "$status" 1
  render 1.2.3 "$releases" "$folder/none"
  check "a file that is not there is refused" is "$status" 1
  check "it is named too" says stderr "SHA256SUMS $folder/none: "
  sed -i.bak 's/^aaaa/zzzz/' "$folder/SHA256SUMS"
  render 1.2.3 "$releases" "$folder/SHA256SUMS"
  check "what is no checksum is refused" is "$status" 1
}

python_has_yaml() { python3 -c 'import yaml' 2>/dev/null; }

recipe_version() {
  if python_has_yaml; then
    python3 -c 'import sys, yaml; print(yaml.safe_load(open(sys.argv[1]))["context"]["version"])' "$recipe"
  else
    awk '/^[a-z]/ { part = $1 } part == "context:" && $1 == "version:" { gsub(/"/, "", $2); print $2 }' "$recipe"
  fi
}

# checksum_beside ADDRESS FILE: the one in the same line or in the line that follows.
checksum_beside() { grep -A 1 -F -- "$1" "$2" | grep -o '[0-9a-f]\{64\}'; }

test_the_recipe_is_of_this_version() {
  python_has_yaml || echo "not looked at, since python3 has no yaml: whether the recipe is YAML"
  check "the project has a version" test -n "$project_version"
  run recipe_version
  check "the recipe can be read" is "$status" 0
  check "its version is the project's" is "$(cat "$folder/stdout")" "$project_version"
  local address
  address=$(grep -o 'https://github.com/tristanpenman/valijson/[^ ]*' "$recipe")
  check "the recipe has valijson" test -n "$address"
  check "its release is the one that CMake fetches" is "$(checksum_beside "$address" "$recipe")" \
    "$(checksum_beside "$address" "$root/scripts/cmake/GpubenchDependencies.cmake")"
}

# loose_bases FILE: images that a container file starts from without saying which version of them.
loose_bases() {
  awk '
    $1 != "FROM" { next }
    !($2 in stages) && ($2 !~ /:[a-z0-9.-]+$|@sha256:/ || $2 ~ /:latest$/) { print $2 }
    $3 == "AS" { stages[$4] = 1 }' "$1"
}

test_the_container_file_has_two_targets() {
  local target file=$packaging/Containerfile
  for target in cpu cuda; do
    check "there is the target $target" grep -q "^FROM [^ ]* AS $target\$" "$file"
  done
  check "what images start from has a version" is "$(loose_bases "$file")" ""
  printf 'FROM debian:bookworm-slim AS one\nFROM one\nFROM debian\nFROM debian:latest\n' >"$folder/Containerfile"
  check "what has none would be found" is "$(loose_bases "$folder/Containerfile" | tr '\n' ' ')" "debian debian:latest "
  check "what is copied into it is there" test -f "$root/scripts/install.sh"
  if have hadolint; then
    run hadolint "$file"
    check "hadolint finds nothing" is "$(cat "$folder/stdout")$status" 0
  else
    echo "not looked at, since hadolint is not installed: the container file"
  fi
}

run_tests
