#!/usr/bin/env bash
# Writes the Homebrew formula of a release to standard output.
# usage: scripts/packaging/render-formula.sh VERSION RELEASES_ADDRESS SHA256SUMS > gpubench.rb
#   VERSION           0.2.0
#   RELEASES_ADDRESS  https://github.com/OWNER/NAME/releases/download
#   SHA256SUMS        the file of the release that has the checksums of its archives

set -euo pipefail
# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"

parse() {
  (($# == 3)) || fail "render-formula.sh: give VERSION, RELEASES_ADDRESS and SHA256SUMS, and nothing else"
  version=$1
  releases=$2
  sums=$3
  # Homebrew reads a version out of the address, and of a preliminary one it reads half.
  [[ $version =~ ^[0-9]+(\.[0-9]+)+$ ]] || fail "VERSION $version: is not of a final release; give one like 0.2.0"
  # The formula asks GitHub for newer releases.
  [[ $releases =~ ^https://github\.com/[A-Za-z0-9._-]+/[A-Za-z0-9._-]+/releases/download$ ]] ||
    fail "RELEASES_ADDRESS $releases: give https://github.com/OWNER/NAME/releases/download"
  [[ -f $sums && -r $sums ]] || fail "SHA256SUMS $sums: cannot be read; give the file of that name of the release"
}

# checksum_of ARCHIVE
checksum_of() {
  local checksum
  checksum=$(awk -v archive="$1" '
    { name = $2; sub(/^\*/, "", name) }
    name == archive && length($1) == 64 && $1 !~ /[^0-9a-f]/ { print $1; exit }' "$sums")
  [[ -n $checksum ]] || fail "$sums: has no checksum of $1; give the SHA256SUMS of release $version"
  printf '%s\n' "$checksum"
}

parse "$@"
macos_arm64=$(checksum_of "gpubench-$version-macos-arm64.tar.gz")
linux_x86_64=$(checksum_of "gpubench-$version-linux-x86_64-cpu.tar.zst")
linux_aarch64=$(checksum_of "gpubench-$version-linux-aarch64-cpu.tar.zst")
sed -e "s|@VERSION@|$version|g" -e "s|@RELEASES@|$releases|g" -e "s|@HOMEPAGE@|${releases%/releases/download}|" \
  -e "s|@SHA256_MACOS_ARM64@|$macos_arm64|" -e "s|@SHA256_LINUX_X86_64@|$linux_x86_64|" \
  -e "s|@SHA256_LINUX_AARCH64@|$linux_aarch64|" "$(dirname "${BASH_SOURCE[0]}")/gpubench.rb.in"
