#!/bin/sh
# Installs a release of gpubench: fetches, checks and unpacks the archive for this machine.
#
# usage: install.sh [--device cpu|cuda] [--version V] [--prefix DIR] [--from URL|FOLDER]
#                   [--uninstall] [--help]
#
# SHA256SUMS comes from the same server as the archive, so it protects against damage, not against a
# hostile server. For more, compare the checksum with a copy from elsewhere, or use 'gh attestation
# verify'.
#
# Uses plain sh and the tools of a minimal system. All code is in functions that the last line
# calls, so a truncated copy runs nothing. Do not pipe it into sh, where a failed download exits
# with 0, but run: curl -fsSLO URL/install.sh && sh install.sh

version=0.2.0
# URL of the releases; files are at URL/vV/FILE. The release workflow fills it in.
releases=
# Oldest glibc for the Linux archives.
least_glibc=2.35

newline='
'

usage() {
  cat <<'END'
usage: install.sh [option...]

Installs a release of gpubench in DIR/lib/gpubench-V, with links in DIR/bin and DIR/share.

  --device cpu|cuda  Archive with LibTorch for the CPU, or small archive, for which 'gpubench setup' fetches LibTorch
                     (default: cuda if this machine has an NVIDIA driver, otherwise cpu)
  --version V        Version to install (default: that of this script)
  --prefix DIR       Folder of the installation (default: ~/.local, for root /usr/local)
  --from URL|FOLDER  URL of the releases, with the files below URL/vV/, or folder with the files of one release
                     (default: GPUBENCH_RELEASES, or else the server of this script)
  --uninstall        Remove all versions that this script installed in DIR, and their links
  --help             Print this help

Exit codes: 0 done, 2 wrong usage, 3 download failed or file damaged, 4 unsupported machine
END
}

main() {
  set -eu
  unset CDPATH
  read_options "$@"
  find_prefix
  if [ "$task" = uninstall ]; then uninstall; else install_release; fi
}

install_release() {
  choose_archive
  find_source
  require_tools
  open_prefix
  get SHA256SUMS
  sums=$got
  ! is_url || say "fetching $archive"
  get "$archive"
  check_sum "$got"
  unpack "$got"
  try_program
  move_into_place
  report
}

say() { printf 'gpubench: %s\n' "$*" >&2; }

# fail CODE SENTENCE...
fail() {
  code=$1
  shift
  say "$@"
  exit "$code"
}

have() { command -v "$1" >/dev/null 2>&1; }

# --- Options

read_options() {
  task=install device='' prefix=''
  from=${GPUBENCH_RELEASES:-$releases}
  while [ $# -gt 0 ]; do
    case $1 in
      --help | -h) usage && exit 0 ;;
      --uninstall) task=uninstall ;;
      --device=* | --version=* | --prefix=* | --from=*) set_option "${1%%=*}" "${1#*=}" ;;
      --device | --version | --prefix | --from)
        set_option "$1" "${2:-}"
        shift
        ;;
      *) fail 2 "$1: unknown option; see install.sh --help" ;;
    esac
    shift
  done
}

# set_option NAME VALUE
set_option() {
  [ -n "$2" ] || fail 2 "$1: its value is missing; see install.sh --help"
  case $1 in
    --device) device=$2 ;;
    --version) version=${2#v} ;;
    --prefix) prefix=$2 ;;
    --from) from=$2 ;;
  esac
  case $device in '' | cpu | cuda) ;; *) fail 2 "--device $device: unknown device; give cpu or cuda" ;; esac
  # The version becomes part of paths.
  case $version in
    [0-9]*) ;;
    *) fail 2 "--version $version: not a version; give one like 0.2.0" ;;
  esac
  case $version in *[!0-9A-Za-z.+~-]*) fail 2 "--version $version: not a version; give one like 0.2.0" ;; esac
}

find_prefix() {
  if [ -z "$prefix" ] && [ "$(id -u)" = 0 ]; then prefix=/usr/local; fi
  [ -n "$prefix" ] || [ -n "${HOME:-}" ] || fail 2 "--prefix: HOME is not set; give the folder to install in"
  : "${prefix:=$HOME/.local}"
  case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
}

find_source() {
  case $from in
    http://?* | https://?*) from=${from%/} ;;
    '') fail 2 "--from: is missing; give the URL of the releases, or a folder with the files of a release" ;;
    *)
      [ -d "$from" ] || fail 2 "--from $from: neither a folder nor an http or https URL; give one of them"
      # An absolute path, because tar takes "name:" without a slash before it for a remote host.
      from=$(cd "$from" && pwd)
      ;;
  esac
}

is_url() { case $from in http://* | https://*) ;; *) return 1 ;; esac }

# --- Choice of the archive

# Sets archive, and kind to cpu, small or macos.
choose_archive() {
  machine=$(uname -m)
  case $(uname -s)-$machine in
    Linux-x86_64 | Linux-aarch64) choose_for_linux ;;
    Darwin-arm64) choose_for_mac ;;
    Darwin-x86_64)
      [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ] || refuse_machine "a Mac with an Intel processor"
      say "this shell runs under Rosetta; installing the archive for Apple silicon"
      choose_for_mac
      ;;
    *) refuse_machine "$(uname -s) on $machine" ;;
  esac
}

refuse_machine() {
  fail 4 "no archive for $1; build from source if possible (docs/getting-started.md)"
}

choose_for_mac() {
  [ "$device" != cuda ] || fail 2 "--device cuda: unsupported on macOS; leave it out"
  kind=macos
  archive=gpubench-$version-macos-arm64.tar.gz
}

choose_for_linux() {
  check_libc
  case $device in
    cpu) kind=cpu ;;
    cuda) kind=small ;;
    *) if has_nvidia_driver; then kind=small; else kind=cpu; fi ;;
  esac
  archive=gpubench-$version-linux-$machine.tar.zst
  [ "$kind" = small ] || archive=gpubench-$version-linux-$machine-cpu.tar.zst
}

has_nvidia_driver() {
  [ ! -e /proc/driver/nvidia/version ] || return 0
  # Without a driver nvidia-smi lists no GPU.
  case $(nvidia-smi -L 2>/dev/null) in *"GPU "*) return 0 ;; esac
  # On some systems, /sbin is not on the PATH of users.
  case $(ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null) in *libcuda.so.1*) ;; *) return 1 ;; esac
}

# Rejects musl and an old glibc. Accepts an unknown libc, because try_program runs the program
# before it is installed.
check_libc() {
  libc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || libc=$(ldd --version 2>&1) || :
  libc=${libc%%"$newline"*}
  case $libc in
    *musl*) refuse_machine "Linux with the C library musl" ;;
    glibc* | ldd*) ;;
    *) return 0 ;;
  esac
  if is_older "${libc##* }" "$least_glibc" 2>/dev/null; then
    refuse_machine "Linux with glibc ${libc##* } (needs $least_glibc or newer)"
  fi
}

# is_older A B: compares versions such as 2.36.
is_older() {
  minor=${1#*.}
  least_minor=${2#*.}
  [ "${1%%.*}" -lt "${2%%.*}" ] || { [ "${1%%.*}" -eq "${2%%.*}" ] && [ "${minor%%.*}" -lt "${least_minor%%.*}" ]; }
}

require_tools() {
  ! is_url || have curl || have wget ||
    fail 3 "curl and wget are missing; install one of them, or give a folder with --from"
  have sha256sum || have shasum || fail 3 "sha256sum and shasum are missing; install coreutils"
  have tar || fail 3 "tar is missing; $(package_hint tar)"
  [ "$kind" = macos ] || have zstd || fail 3 "zstd is missing; $(package_hint zstd)"
}

package_hint() {
  if have apt-get; then
    echo "run: apt-get install $1"
  elif have dnf; then
    echo "run: dnf install $1"
  elif have pacman; then
    echo "run: pacman -S $1"
  elif have zypper; then
    echo "run: zypper install $1"
  elif have apk; then
    echo "run: apk add $1"
  else
    echo "install the package $1"
  fi
}

# --- Folders and clean-up

open_prefix() {
  # Files that root installs must be readable by all, whatever root's umask is.
  [ "$(id -u)" != 0 ] || umask 022
  mkdir -p "$prefix/lib" "$prefix/bin" 2>/dev/null || refuse_prefix
  [ -w "$prefix/lib" ] || refuse_prefix
  [ -w "$prefix/bin" ] || refuse_prefix
  resolve_prefix
  # Fail before fetching anything if a foreign file is in the place of the link or of the folder.
  ! is_foreign "$prefix/bin/gpubench" || refuse_foreign "$prefix/bin/gpubench"
  [ ! -e "$home" ] || is_our_folder "$home" || refuse_foreign "$home"
  remove_leftovers
  work=$prefix/lib/.gpubench-work.$$
  children=''
  handle_signals
  mkdir "$work" "$work/tree" 2>/dev/null || refuse_prefix
}

refuse_prefix() { fail 2 "--prefix $prefix: cannot be written; give another folder, or run this as another user"; }

refuse_foreign() { fail 2 "$1: not installed by this script; remove it, or give another folder with --prefix"; }

# Resolves links in the prefix, so that a later call recognizes its links by any path to it.
resolve_prefix() {
  prefix=$(cd "$prefix" && pwd -P)
  home=$prefix/lib/gpubench-$version
}

handle_signals() {
  trap undo EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

undo() {
  for child in $children; do
    { kill "$child" && wait "$child"; } 2>/dev/null || :
  done
  if [ -e "$work/earlier" ] && [ ! -e "$home" ]; then mv "$work/earlier" "$home" || :; fi
  rm -rf "$work" || :
}

# Removes leftovers of killed runs: the name ends with the id of a process that no longer exists.
remove_leftovers() {
  for leftover in "$prefix"/lib/.gpubench-work.*; do
    process=${leftover##*.}
    if [ "$process" = $$ ] || ! kill -0 "$process" 2>/dev/null; then rm -rf "$leftover"; fi
  done
}

# run_child COMMAND...: runs it in the background, because shells handle signals only between
# foreground commands. Functions must exec their last command, so that signals reach it.
run_child() {
  "$@" &
  children=$!
  status=0
  wait "$children" || status=$?
  children=''
  return "$status"
}

# Prints the last line of a child's stderr, for an error message.
last_error() {
  if [ -s "$work/errors" ]; then printf ': %s' "$(tail -n 1 "$work/errors")"; fi
}

# --- Fetching and checking

# get FILE: fetches a file of the release if necessary; sets got to its path.
get() {
  if is_url; then
    got=$work/$1
    fetch "$from/v$version/$1" "$got"
  else
    got=$from/$1
    [ -r "$got" ] || fail 3 "--from $from: $1 is missing; give the folder with the files of version $version"
  fi
}

# fetch URL FILE: resumes an interrupted download as long as it makes progress.
fetch() {
  tries=0
  size=0
  until run_child download "$1" "$2"; do
    tries=$((tries + 1))
    most=3
    [ ! -s "$2" ] || most=10
    # These codes of curl and wget mean an error response, which a retry does not change.
    case $status in 22 | 8) tries=$most ;; esac
    [ "$tries" -lt "$most" ] ||
      fail 3 "cannot fetch $1$(last_error); check that version $version exists, or give another source with --from"
    keep_part "$2"
    run_child sleep 2
  done
}

# keep_part FILE: keeps the downloaded part if the last try made progress. Otherwise removes it,
# because the server may be unable to resume.
keep_part() {
  earlier_size=$size
  size=0
  [ -s "$1" ] || return 0
  size=$(($(wc -c <"$1")))
  if [ "$size" -gt "$earlier_size" ]; then
    say "the download was interrupted; resuming"
  else
    rm -f "$1"
    size=0
  fi
}

download() {
  [ -t 2 ] || exec 2>"$work/errors"
  if have curl; then download_by_curl "$1" "$2"; else download_by_wget "$1" "$2"; fi
}

download_by_curl() {
  set -- --fail --location --continue-at - --connect-timeout 30 --speed-limit 1 --speed-time 60 --output "$2" "$1"
  # Do not follow redirects from https to http.
  case $from in https:*) set -- --proto =https --proto-redir =https "$@" ;; esac
  if [ -t 2 ]; then exec curl --progress-bar "$@"; else exec curl --silent --show-error "$@"; fi
}

# BusyBox's wget lacks most options.
download_by_wget() {
  set -- -c -O "$2" "$1"
  case $(wget --version 2>&1) in
    *"GNU Wget"*) set -- --tries=1 --timeout=60 --no-verbose "$@" ;;
    *) exec wget -q "$@" ;;
  esac
  if [ -t 2 ]; then exec wget --show-progress "$@"; else exec wget "$@"; fi
}

# check_sum FILE
check_sum() {
  wanted=$(known_sum)
  case $wanted in *[!0-9a-f]*) wanted='' ;; esac
  [ "${#wanted}" = 64 ] ||
    fail 3 "SHA256SUMS: no checksum of $archive; give another source with --from"
  [ "$(sha256_sum "$1")" = "$wanted" ] ||
    fail 3 "$archive: its SHA-256 differs from SHA256SUMS; try again, or give another source with --from"
}

known_sum() {
  while read -r sum file || [ -n "$sum" ]; do
    case $file in "$archive" | "*$archive") echo "$sum" && return ;; esac
  done <"$sums"
}

sha256_sum() {
  if have sha256sum; then sum=$(sha256sum <"$1"); else sum=$(shasum -a 256 <"$1"); fi
  echo "${sum%% *}"
}

# --- Installing

# unpack FILE: sets tree.
unpack() {
  tree=$work/tree/${archive%.tar.*}
  say "unpacking $archive"
  run_child extract "$1" || fail 3 "cannot unpack $archive$(last_error); check the free space in $prefix"
  [ -x "$tree/bin/gpubench" ] || fail 3 "$archive: bin/gpubench is missing; give another source with --from"
  # Marks the folder as installed by this script.
  echo "$archive" >"$tree/.install-script" || fail 3 "cannot write to $prefix; check its free space"
}

extract() {
  exec 2>"$work/errors"
  exec tar -xof "$1" -C "$work/tree"
}

# Runs the program before it replaces an earlier installation.
try_program() {
  run_child "$tree/bin/gpubench" --version >"$work/errors" 2>&1 ||
    fail 4 "$archive does not run on this machine$(last_error); build from source if possible (docs/getting-started.md)"
}

# Replaces the earlier installation. Ignores signals, so that it is not left incomplete.
move_into_place() {
  trap '' HUP INT TERM
  [ ! -e "$home" ] || mv "$home" "$work/earlier" || fail 3 "cannot replace $home; remove it"
  mv "$tree" "$home" || fail 3 "cannot write to $prefix/lib; check its permissions"
  put_link bin/gpubench || fail 3 "cannot write to $prefix/bin; check its permissions"
  link_share
  remove_links
  handle_signals
}

# Links the completions. Failures are only reported, because the program works without them.
link_share() {
  linkable "$home" | while IFS= read -r file; do
    if is_foreign "$prefix/$file"; then
      say "$prefix/$file: not installed by this script; keeping it"
    elif ! put_link "$file" 2>/dev/null; then
      say "cannot write to $prefix/${file%/*}; the remaining files of $home/share are not linked"
      break
    fi
  done
}

# put_link FILE: creates or replaces the link atomically.
put_link() {
  place=$prefix/$1
  mkdir -p "${place%/*}" && ln -s "$home/$1" "$place.$$" && mv -f "$place.$$" "$place"
}

# linkable FOLDER: lists the existing files in an installation or prefix that this script links.
linkable() {
  for file in "$1"/bin/gpubench "$1"/share/bash-completion/completions/gpubench \
    "$1"/share/zsh/site-functions/_gpubench "$1"/share/fish/vendor_completions.d/gpubench.fish; do
    if [ -e "$file" ] || [ -L "$file" ]; then printf '%s\n' "${file#"$1"/}"; fi
  done
}

# Removes broken links and links to other versions; when uninstalling, all links of this script.
remove_links() {
  linkable "$prefix" | while IFS= read -r file; do
    is_our_link "$prefix/$file" || continue
    [ "$task" = install ] && is_current_link "$file" && continue
    rm -f "$prefix/$file" || refuse_removal "$prefix/$file"
  done
}

is_our_link() {
  case $(readlink "$1" 2>/dev/null) in "$prefix"/lib/gpubench-[0-9]*/*) ;; *) return 1 ;; esac
}

is_current_link() { [ -e "$prefix/$1" ] && [ "$(readlink "$prefix/$1")" = "$home/$1" ]; }

is_foreign() { { [ -e "$1" ] || [ -L "$1" ]; } && ! is_our_link "$1"; }

is_our_folder() { [ -f "$1/.install-script" ]; }

report() {
  output=$("$prefix/bin/gpubench" --version </dev/null) || fail 4 "$prefix/bin/gpubench does not run on this machine"
  say "${output%%"$newline"*} is installed in $home"
  call=gpubench
  found=$(command -v gpubench) || :
  if [ "$(readlink "$found" 2>/dev/null)" != "$home/bin/gpubench" ]; then
    call="\"$prefix/bin/gpubench\""
    say "${found:+PATH has another gpubench first, $found; }to add it to PATH, put this line in ~/.profile:" \
      "export PATH=\"$prefix/bin:\$PATH\""
  fi
  case $kind-$device in
    small-cuda) say "next: $call setup --device cuda, which fetches LibTorch; then $call suite quick" ;;
    small-*) say "next: $call setup, which fetches LibTorch; then $call suite quick" ;;
    *) say "next: $call suite quick" ;;
  esac
}

# --- Uninstalling

uninstall() {
  removed=''
  if [ -d "$prefix/lib" ]; then
    resolve_prefix
    remove_leftovers
    remove_links
    for folder in "$prefix"/lib/gpubench-[0-9]*; do
      if is_our_folder "$folder"; then remove_folder "$folder"; fi
    done
  fi
  [ -n "$removed" ] || say "$prefix: no installation of this script found"
}

# remove_folder FOLDER: renames it first, so that a later call can finish the removal.
remove_folder() {
  work=$prefix/lib/.gpubench-work.$$
  mv "$1" "$work" || refuse_removal "$1"
  rm -rf "$work" || refuse_removal "$work"
  removed=yes
  say "removed $1"
}

refuse_removal() { fail 2 "$1: cannot be removed; run this as another user"; }

{ main "$@"; }
