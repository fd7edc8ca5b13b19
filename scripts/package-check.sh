#!/usr/bin/env bash
# Tries what scripts/package.sh made as users have it: in bare roots of Debian, without compiler or Python, as an ordinary user.
# usage: scripts/package-check.sh [--output DIR] [--suite NAME] [RELEASE...]     as root; default: suite quick, bookworm trixie
# DIR is where the packages are, build/package/out by default. GPUBENCH_DATA_DIR is where datasets are, if set.

set -euo pipefail
# shellcheck source=scripts/lib/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/build.sh"
# shellcheck source=scripts/packaging/release.sh
source "$root/scripts/packaging/release.sh"

place=$root/build/package
output=$place/out
suite=quick
releases=()
server=
bare=

# What is mounted here is seen by nobody else, and is gone with this process.
with_own_mounts() {
  [[ -z ${GPUBENCH_HAS_OWN_MOUNTS:-} ]] || return 0
  export GPUBENCH_HAS_OWN_MOUNTS=yes
  exec unshare --mount --propagation private "${BASH_SOURCE[0]}" "$@"
}

parse() {
  while (($#)); do
    case $1 in
      --output) output=$2 && shift ;;
      --suite) suite=$2 && shift ;;
      -*) fail "$1 is not known; give --output DIR, --suite NAME, or releases of Debian" ;;
      *) releases+=("$1") ;;
    esac
    shift
  done
  ((${#releases[@]})) || releases=(bookworm trixie)
  own_version=$(project_version)
  platform=$(platform_name)
  [[ $(id -u) == 0 ]] || fail "only root can make a bare system; run this as root"
  [[ -f $output/SHA256SUMS ]] || fail "there is nothing in $output; run scripts/package.sh first"
}

clean_up() {
  [[ -z $server ]] || kill "$server" 2>/dev/null || true
  leave_root
}

leave_root() {
  [[ -n $bare ]] || return 0
  local mount
  for mount in data release proc dev/shm; do ! mountpoint -q "$bare/$mount" || umount -l "$bare/$mount"; done
  rm -rf --one-file-system "$bare"
  bare=
}

# fetch_wheels: those that a gpubench for the CPU sets up, as an index has them.
fetch_wheels() {
  local wheels=$place/wheels wheel name
  if [[ ! -d $wheels ]]; then
    work=$(mktemp -d "$place/wheels.XXXXXX")
    pins_of 'torch|nvidia-cuda-(runtime|cupti)' >"$work/pins.txt"
    python3 -m pip download -q --no-deps --require-hashes --only-binary=:all: --python-version "$wheel_python" -d "$work" \
      -r "$work/pins.txt" >&2
    for wheel in "$work"/*.whl; do
      name=$(basename "$wheel" | sed 's/-[0-9].*//; y/_/-/')
      mkdir -p "$work/simple/$name"
      printf '<a href="%s#sha256=%s">%s</a>\n' "${wheel##*/}" "$(checksum_of "$wheel")" "${wheel##*/}" >"$work/simple/$name/index.html"
      mv "$wheel" "$work/simple/$name/"
    done
    mv "$work" "$wheels"
  fi
}

# serve FOLDER: sets `address`.
serve() {
  python3 -u -m http.server --bind 127.0.0.1 --directory "$1" 0 >"$place/server.log" 2>&1 &
  server=$!
  local port=
  while [[ -z $port ]]; do
    kill -0 "$server" 2>/dev/null || fail "the server of files does not start: $(<"$place/server.log")"
    sleep 0.1
    port=$(sed -n 's/^Serving HTTP on .* port \([0-9]*\).*/\1/p' "$place/server.log")
  done
  address=http://127.0.0.1:$port
}

# enter_root RELEASE: sets `bare`, a system with nothing installed.
enter_root() {
  local packed=$place/$1.tar
  if [[ ! -f $packed ]]; then
    say "making a bare $1"
    rm -rf "$place/$1.new"
    debootstrap --variant=minbase "$1" "$place/$1.new" "$(mirror)" >"$place/debootstrap.log" 2>&1 ||
      { tail -n 5 "$place/debootstrap.log" >&2; fail "cannot make a bare $1"; }
    tar -C "$place/$1.new" -cf "$packed.part" . && mv "$packed.part" "$packed"
    rm -rf "$place/$1.new"
  fi
  bare=$(mktemp -d "$place/root.XXXXXX")
  tar -C "$bare" -xf "$packed"
  chmod 755 "$bare"
  mkdir -p "$bare/data" "$bare/release"
  mount -t proc proc "$bare/proc"
  mount -t tmpfs tmpfs "$bare/dev/shm"
  mount --bind -o ro "$output" "$bare/release"
  if [[ -n ${GPUBENCH_DATA_DIR:-} ]]; then mount --bind -o ro "$GPUBENCH_DATA_DIR" "$bare/data"; fi
  cp /etc/resolv.conf "$bare/etc/" 2>/dev/null || true
  as_superuser 'useradd --create-home person'
}

# Where this system's own packages come from.
# shellcheck disable=SC2016  # apt-get expands it.
mirror() {
  apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' | grep -v security | sort | uniq -c | sort -rn |
    awk 'NR == 1 { print $2 }'
}

as_superuser() { chroot "$bare" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C sh -ec "$1"; }

# as_person COMMAND: in the person's home, with nothing of this system's environment.
as_person() {
  local data=
  [[ -z ${GPUBENCH_DATA_DIR:-} ]] || data=GPUBENCH_DATA_DIR=/data
  # shellcheck disable=SC2086  # Nothing, or an assignment.
  chroot --userspec=person "$bare" env -i PATH=/usr/bin:/bin HOME=/home/person LC_ALL=C.UTF-8 $data sh -ec "cd && $1"
}

# takes LABEL COMMAND...: runs it, and prints a row with its seconds.
takes() {
  local label=$1 begin end
  shift
  begin=$(date +%s.%N)
  "$@" >"$place/check.log" 2>&1 || { cat "$place/check.log" >&2; fail "$release: $label: failed"; }
  end=$(date +%s.%N)
  printf '%-10s %-58s %8.1f s\n' "$release" "$label" "$(echo "$begin $end" | awk '{ print $2 - $1 }')"
}

suite_line() { echo "$1 suite $suite --device cpu -o $2 && $1 validate $2"; }

has_no_tools() {
  local tool
  for tool in cc g++ python3 cmake ld; do
    ! as_superuser "command -v $tool" >/dev/null 2>&1 || fail "$release has $tool, so that this would prove nothing"
  done
}

check_cpu_archive() {
  local name=gpubench-$own_version-$platform-cpu
  [[ -f $output/$name.tar.zst ]] || return 0
  takes "the CPU archive is unpacked" as_person "tar --zstd -xf /release/$name.tar.zst"
  takes "suite $suite of the CPU archive" as_person "$(suite_line "$name/bin/gpubench" cpu.json)"
  as_person "rm -rf $name"
}

check_small_archive() {
  local name=gpubench-$own_version-$platform
  [[ -f $output/$name.tar.zst ]] || return 0
  as_person "tar --zstd -xf /release/$name.tar.zst"
  refuses "without LibTorch" "$name/bin/gpubench suite $suite" "run 'gpubench setup'"
  refuses "without certificates of authorities" "$name/bin/gpubench setup --device cpu" "ca-certificates"
  takes "LibTorch is set up from a server" as_person "$name/bin/gpubench setup --device cpu --from $address/simple/"
  takes "suite $suite of the small archive" as_person "$(suite_line "$name/bin/gpubench" small.json)"
  as_person "$name/bin/gpubench setup remove && rm -rf $name"
}

check_deb() {
  local file
  file=gpubench_${own_version}_$(dpkg --print-architecture).deb
  [[ -f $output/$file ]] || return 0
  takes "the Debian package is installed" as_superuser "apt-get install -q -y --no-install-recommends /release/$file"
  takes "LibTorch is set up by it from a server" as_person "gpubench setup --from $address/simple/"
  takes "suite $suite of the Debian package" as_person "$(suite_line gpubench deb.json)"
  as_person 'gpubench setup remove && rm -rf .cache'
  takes "the Debian package is removed" as_superuser 'apt-get purge -q -y gpubench'
  nothing_is_left
}

check_with_lintian() {
  local file
  file=$output/gpubench_${own_version}_$(dpkg --print-architecture).deb
  [[ ! -f $file ]] || lintian --allow-root --fail-on error --tag-display-limit 0 "$file" >"$place/lintian.log" 2>&1 ||
    { grep '^E' "$place/lintian.log" >&2; fail "lintian finds errors in ${file##*/}"; }
}

# What other packages brought may stay.
nothing_is_left() {
  as_superuser 'find / -xdev -name "*gpubench*" -not -path "/proc/*" -not -path "/release/*" -not -path "/var/*"' >"$place/left"
  [[ ! -s $place/left ]] || fail "$release: the removed package left $(tr '\n' ' ' <"$place/left")"
  say "$release: nothing of the removed package is left"
}

# refuses LABEL COMMAND TEXT
refuses() {
  local words
  if words=$(as_person "$2" 2>&1); then fail "$release: $1: was not refused"; fi
  [[ $words == *"$3"* && $(wc -l <<<"$words") == 1 ]] || fail "$release: $1: not one line with the remedy: $words"
  printf '%-10s %s: %s\n' "$release" "$1" "$words"
}

parse "$@"
with_own_mounts "$@"
require_apt "debootstrap lintian" ""
trap clean_up EXIT
trap 'exit 130' INT TERM
check_with_lintian
fetch_wheels
serve "$place/wheels"
for release in "${releases[@]}"; do
  enter_root "$release"
  has_no_tools
  # What tar asks for.
  takes "zstd is installed" as_superuser 'apt-get update -q && apt-get install -q -y --no-install-recommends zstd'
  check_cpu_archive
  check_small_archive
  check_deb
  leave_root
done
say "all of it works"
