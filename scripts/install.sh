#!/bin/sh
# Installs a released gpubench where there is no compiler: fetches the archive for this machine, checks and unpacks it.
#
# usage: install.sh [--device cpu|cuda] [--version V] [--prefix DIR] [--from ADDRESS|FOLDER] [--uninstall] [--help]
#
# SHA256SUMS comes from the same place as the archive, so it guards against damage, not against a hostile server. Whoever wants
# more compares the checksum with one that came another way, or asks 'gh attestation verify', where the release has one.
#
# Plain sh with the tools of a bare system. A copy that was cut off runs nothing: all is in functions that the last line calls.
# Fetch it, then run it: curl -fsSLO ADDRESS/install.sh && sh install.sh. Piped into sh, a download that fails ends with 0.

version=0.2.0
# Where releases are, as ADDRESS/vV/FILE; the release workflow fills it in.
releases=
# What the programs in the archives for Linux need.
least_glibc=2.35

newline='
'

usage() {
  cat <<'END'
usage: install.sh [option...]

Installs a released gpubench: DIR/lib/gpubench-V, with links in DIR/bin and DIR/share.

  --device cpu|cuda         the archive with LibTorch for the CPU, or the small one, for which 'gpubench setup' fetches
                            LibTorch (default: the small one where there is an NVIDIA driver)
  --version V               this version (default: that of this script)
  --prefix DIR              where to (default: ~/.local; as root /usr/local)
  --from ADDRESS|FOLDER     where releases are, http:// or https://, with files below /vV/; or a folder with the files of one
                            (default: the variable GPUBENCH_RELEASES, else where this script came from)
  --uninstall               remove all versions that this script put into DIR, and their links
  --help                    this text

Exit codes: 0 done, 2 wrong usage, 3 cannot be fetched or is not intact, 4 this machine is not served.
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
  open_place
  get SHA256SUMS
  sums=$got
  ! is_address || say "fetching $archive"
  get "$archive"
  check_sum "$got"
  unpack "$got"
  try_program
  put_in_place
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

# --- What is asked for

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
      *) fail 2 "$1: is no option of install.sh; see install.sh --help" ;;
    esac
    shift
  done
}

# set_option NAME VALUE
set_option() {
  [ -n "$2" ] || fail 2 "$1: a value is missing; see install.sh --help"
  case $1 in
    --device) device=$2 ;;
    --version) version=${2#v} ;;
    --prefix) prefix=$2 ;;
    --from) from=$2 ;;
  esac
  case $device in '' | cpu | cuda) ;; *) fail 2 "--device $device: give cpu or cuda" ;; esac
  # It becomes part of paths.
  case $version in
    [0-9]*) ;;
    *) fail 2 "--version $version: give one like 0.2.0" ;;
  esac
  case $version in *[!0-9A-Za-z.+~-]*) fail 2 "--version $version: give one like 0.2.0" ;; esac
}

find_prefix() {
  if [ -z "$prefix" ] && [ "$(id -u)" = 0 ]; then prefix=/usr/local; fi
  [ -n "$prefix" ] || [ -n "${HOME:-}" ] || fail 2 "--prefix: HOME is not set; give the folder to install into"
  : "${prefix:=$HOME/.local}"
  case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
}

find_source() {
  case $from in
    http://?* | https://?*) from=${from%/} ;;
    '') fail 2 "--from: give the address of the releases, or a folder with the files of one, or set GPUBENCH_RELEASES" ;;
    *)
      [ -d "$from" ] || fail 2 "--from $from: is neither a folder nor an address with http:// or https://; give one"
      # tar takes what stands before a colon for a machine, unless there is a slash before that.
      from=$(cd "$from" && pwd)
      ;;
  esac
}

is_address() { case $from in http://* | https://*) ;; *) return 1 ;; esac }

# --- What this machine is

# Sets archive, and kind: cpu, small or macos.
choose_archive() {
  machine=$(uname -m)
  case $(uname -s)-$machine in
    Linux-x86_64 | Linux-aarch64) choose_for_linux ;;
    Darwin-arm64) choose_for_mac ;;
    Darwin-x86_64)
      [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ] || refuse_machine "a Mac with an Intel processor"
      say "this shell runs under Rosetta, as on an Intel Mac; what is for this Mac's own processor is taken"
      choose_for_mac
      ;;
    *) refuse_machine "$(uname -s) on $machine" ;;
  esac
}

refuse_machine() {
  fail 4 "there is no archive for $1; build from a clone, where that is possible (docs/systems.md)"
}

choose_for_mac() {
  [ "$device" != cuda ] || fail 2 "--device cuda: there is no CUDA on a Mac; leave it out"
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
  # Users have no /sbin on their PATH on some systems.
  case $(ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null) in *libcuda.so.1*) ;; *) return 1 ;; esac
}

# A libc that cannot be told is let through: the program is tried before it is installed.
check_libc() {
  libc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || libc=$(ldd --version 2>&1) || :
  libc=${libc%%"$newline"*}
  case $libc in
    *musl*) refuse_machine "Linux with the C library musl" ;;
    glibc* | ldd*) ;;
    *) return 0 ;;
  esac
  if is_older "${libc##* }" "$least_glibc" 2>/dev/null; then
    refuse_machine "Linux with glibc ${libc##* } ($least_glibc or newer is needed)"
  fi
}

# is_older ONE OTHER, of versions such as 2.36
is_older() {
  minor=${1#*.}
  least_minor=${2#*.}
  [ "${1%%.*}" -lt "${2%%.*}" ] || { [ "${1%%.*}" -eq "${2%%.*}" ] && [ "${minor%%.*}" -lt "${least_minor%%.*}" ]; }
}

require_tools() {
  ! is_address || have curl || have wget ||
    fail 3 "neither curl nor wget is there; install one of them, or give a folder with --from"
  have sha256sum || have shasum || fail 3 "neither sha256sum nor shasum is there; install coreutils"
  have tar || fail 3 "tar is missing; $(package_hint tar)"
  [ "$kind" = macos ] || have zstd || fail 3 "zstd is missing, which tar needs for $archive; $(package_hint zstd)"
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
    echo "install the package $1 of this system"
  fi
}

# --- The folders, and what is undone when this ends early

open_place() {
  # What everybody is to use is not to depend on root's umask.
  [ "$(id -u)" != 0 ] || umask 022
  mkdir -p "$prefix/lib" "$prefix/bin" 2>/dev/null || refuse_prefix
  [ -w "$prefix/lib" ] || refuse_prefix
  [ -w "$prefix/bin" ] || refuse_prefix
  resolve_prefix
  # Without its link the program would not be found, or another one in its place; so this stops before anything is fetched.
  ! is_foreign "$prefix/bin/gpubench" || refuse_foreign "$prefix/bin/gpubench"
  [ ! -e "$home" ] || is_our_folder "$home" || refuse_foreign "$home"
  remove_remains
  work=$prefix/lib/.gpubench-work.$$
  children=''
  handle_signals
  mkdir "$work" "$work/tree" 2>/dev/null || refuse_prefix
}

refuse_prefix() { fail 2 "--prefix $prefix: cannot be written; give another folder, or run this as somebody who may"; }

refuse_foreign() { fail 2 "$1 was not put there by this script; remove it, or give another folder with --prefix"; }

# By its own name, so that links are known again by whatever name it is called the next time.
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

# What a run left that could not undo anything itself: the number in the name is of a process that is gone.
remove_remains() {
  for remains in "$prefix"/lib/.gpubench-work.*; do
    process=${remains##*.}
    if [ "$process" = $$ ] || ! kill -0 "$process" 2>/dev/null; then rm -rf "$remains"; fi
  done
}

# run_child COMMAND...: in the background, since a shell answers a signal only when a command in the foreground has ended.
# A function must end in exec, so that the signal reaches what it starts.
run_child() {
  "$@" &
  children=$!
  status=0
  wait "$children" || status=$?
  children=''
  return "$status"
}

# The end of what a child said, for the one line of an error.
last_words() {
  if [ -s "$work/words" ]; then printf ': %s' "$(tail -n 1 "$work/words")"; fi
}

# --- Fetching and checking

# get FILE: sets got to where it is.
get() {
  if is_address; then
    got=$work/$1
    fetch "$from/v$version/$1" "$got"
  else
    got=$from/$1
    [ -r "$got" ] || fail 3 "--from $from: there is no $1 in it; give the folder with the files of $version"
  fi
}

# fetch ADDRESS FILE: goes on where it broke off, as long as that brings anything.
fetch() {
  tries=0
  size=0
  until run_child download "$1" "$2"; do
    tries=$((tries + 1))
    most=3
    [ ! -s "$2" ] || most=10
    # What a server answers that was reached (curl and wget say so) does not change from one moment to the next.
    case $status in 22 | 8) tries=$most ;; esac
    [ "$tries" -lt "$most" ] ||
      fail 3 "cannot fetch $1$(last_words); look whether $version is there, or name another place with --from"
    keep_part "$2"
    run_child sleep 2
  done
}

# keep_part FILE: unless the last try brought nothing more; then it may be what hinders, where a server cannot go on.
keep_part() {
  earlier_size=$size
  size=0
  [ -s "$1" ] || return 0
  size=$(($(wc -c <"$1")))
  if [ "$size" -gt "$earlier_size" ]; then
    say "the download broke off; it goes on from there"
  else
    rm -f "$1"
    size=0
  fi
}

download() {
  [ -t 2 ] || exec 2>"$work/words"
  if have curl; then download_by_curl "$1" "$2"; else download_by_wget "$1" "$2"; fi
}

download_by_curl() {
  set -- --fail --location --continue-at - --connect-timeout 30 --speed-limit 1 --speed-time 60 --output "$2" "$1"
  # What was asked for encrypted is not fetched otherwise.
  case $from in https:*) set -- --proto =https --proto-redir =https "$@" ;; esac
  if [ -t 2 ]; then exec curl --progress-bar "$@"; else exec curl --silent --show-error "$@"; fi
}

# The wget of BusyBox has few options.
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
    fail 3 "SHA256SUMS has no checksum of $archive, which is not taken without; give another place with --from"
  [ "$(sum_of "$1")" = "$wanted" ] ||
    fail 3 "$archive is not intact: its SHA-256 is not the one in SHA256SUMS; try again, or give another place with --from"
}

known_sum() {
  while read -r sum file || [ -n "$sum" ]; do
    case $file in "$archive" | "*$archive") echo "$sum" && return ;; esac
  done <"$sums"
}

sum_of() {
  if have sha256sum; then sum=$(sha256sum <"$1"); else sum=$(shasum -a 256 <"$1"); fi
  echo "${sum%% *}"
}

# --- Installing

# unpack FILE: sets tree.
unpack() {
  tree=$work/tree/${archive%.tar.*}
  say "unpacking $archive"
  run_child extract "$1" || fail 3 "cannot unpack $archive$(last_words); look whether there is room in $prefix"
  [ -x "$tree/bin/gpubench" ] || fail 3 "$archive is none of gpubench: it has no bin/gpubench; give another place with --from"
  # By this file it is known as ours.
  echo "$archive" >"$tree/.install-script" || fail 3 "cannot write to $prefix; look whether there is room"
}

extract() {
  exec 2>"$work/words"
  exec tar -xof "$1" -C "$work/tree"
}

# An earlier installation is not given up for one that does not run.
try_program() {
  run_child "$tree/bin/gpubench" --version >"$work/words" 2>&1 ||
    fail 4 "the gpubench in $archive does not run here$(last_words); build from a clone, where that is possible (docs/systems.md)"
}

# It takes a moment, and is not left in the middle.
put_in_place() {
  trap '' HUP INT TERM
  [ ! -e "$home" ] || mv "$home" "$work/earlier" || fail 3 "cannot replace $home; remove it"
  mv "$tree" "$home" || fail 3 "cannot write to $prefix/lib; look who may"
  put_link bin/gpubench || fail 3 "cannot write to $prefix/bin; look who may"
  link_share
  remove_links
  handle_signals
}

# Without completion the program is as good, so what hinders them is said, and no more.
link_share() {
  linkable "$home" | while IFS= read -r file; do
    if is_foreign "$prefix/$file"; then
      say "$prefix/$file was not put there by this script, and stays"
    elif ! put_link "$file" 2>/dev/null; then
      say "cannot write to $prefix/${file%/*}; what else is in $home/share is not linked"
      break
    fi
  done
}

# put_link FILE: at no moment there is none.
put_link() {
  place=$prefix/$1
  mkdir -p "${place%/*}" && ln -s "$home/$1" "$place.$$" && mv -f "$place.$$" "$place"
}

# linkable FOLDER: what there is, or would be, a link to, or one.
linkable() {
  for file in "$1"/bin/gpubench "$1"/share/bash-completion/completions/gpubench \
    "$1"/share/zsh/site-functions/_gpubench "$1"/share/fish/vendor_completions.d/gpubench.fish; do
    if [ -e "$file" ] || [ -L "$file" ]; then printf '%s\n' "${file#"$1"/}"; fi
  done
}

# Those that lead nowhere or to another version; when uninstalling all.
remove_links() {
  linkable "$prefix" | while IFS= read -r file; do
    is_our_link "$prefix/$file" || continue
    [ "$task" = install ] && is_link_to_this "$file" && continue
    rm -f "$prefix/$file" || refuse_removal "$prefix/$file"
  done
}

is_our_link() {
  case $(readlink "$1" 2>/dev/null) in "$prefix"/lib/gpubench-[0-9]*/*) ;; *) return 1 ;; esac
}

is_link_to_this() { [ -e "$prefix/$1" ] && [ "$(readlink "$prefix/$1")" = "$home/$1" ]; }

is_foreign() { { [ -e "$1" ] || [ -L "$1" ]; } && ! is_our_link "$1"; }

is_our_folder() { [ -f "$1/.install-script" ]; }

report() {
  said=$("$prefix/bin/gpubench" --version </dev/null) || fail 4 "$prefix/bin/gpubench does not run here"
  say "${said%%"$newline"*} is installed in $home"
  call=gpubench
  found=$(command -v gpubench) || :
  if [ "$(readlink "$found" 2>/dev/null)" != "$home/bin/gpubench" ]; then
    call="\"$prefix/bin/gpubench\""
    say "${found:+PATH has another one first, $found; }to call it by its name, add this to ~/.profile:" \
      "export PATH=\"$prefix/bin:\$PATH\""
  fi
  case $kind-$device in
    small-cuda) say "to begin: $call setup --device cuda, which fetches LibTorch; then $call suite quick" ;;
    small-*) say "to begin: $call setup, which fetches LibTorch; then $call suite quick" ;;
    *) say "to begin: $call suite quick" ;;
  esac
}

# --- Uninstalling

uninstall() {
  removed=''
  if [ -d "$prefix/lib" ]; then
    resolve_prefix
    remove_remains
    remove_links
    for folder in "$prefix"/lib/gpubench-[0-9]*; do
      if is_our_folder "$folder"; then remove_folder "$folder"; fi
    done
  fi
  [ -n "$removed" ] || say "there is nothing of this script in $prefix"
}

# remove_folder FOLDER: under a name by which the rest is found again, should this be ended.
remove_folder() {
  work=$prefix/lib/.gpubench-work.$$
  mv "$1" "$work" || refuse_removal "$1"
  rm -rf "$work" || refuse_removal "$work"
  removed=yes
  say "removed $1"
}

refuse_removal() { fail 2 "$1 cannot be removed; run this as somebody who may"; }

{ main "$@"; }
