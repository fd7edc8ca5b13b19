#!/usr/bin/env bash
# scripts/install.sh on machines that are made of stand-ins for their commands, with little archives of a stand-in for gpubench,
# from a folder and from a server on this machine; in each sh that is there.

# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"

script=$root/scripts/install.sh
version=$(sed -n 's/^version=//p' "$script")
# A temporary folder of macOS is reached through a link, and the script names what it installs by the folder's own name.
folder=$(cd "$folder" && pwd -P)
server=
installation=
trap 'stop "$server"; stop "$installation"; rm -rf "$folder"' EXIT

stop() { [[ -z $1 ]] || { kill "$1" && wait "$1"; } 2>/dev/null || true; }

for tool in tar zstd gzip; do
  type -P "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done

# --- Releases

# program_tree FOLDER VERSION NAME: what is in an archive. The stand-in says of which one it is.
program_tree() {
  mkdir -p "$1"/{bin,lib/gpubench} "$1"/share/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
  printf '#!/bin/sh\necho "gpubench %s of %s"\necho more\n' "$2" "$3" >"$1/bin/gpubench"
  chmod 755 "$1/bin/gpubench"
  # Larger than what the test of a full disk lets be written.
  head -c 200000 /dev/zero >"$1/lib/gpubench/libgpubench_engine.so"
  local file
  for file in bash-completion/completions/gpubench zsh/site-functions/_gpubench fish/vendor_completions.d/gpubench.fish; do
    echo "$2" >"$1/share/$file"
  done
}

# archive VERSION NAME: beside the other files of the release.
archive() {
  local release=$folder/releases/v$1 top=gpubench-$1-$2
  top=${top%.tar.*}
  rm -rf "$folder/tree" && mkdir -p "$folder/tree" "$release"
  program_tree "$folder/tree/$top" "$1" "$2"
  ! declare -F change_tree >/dev/null || change_tree "$folder/tree/$top"
  (cd "$folder/tree" && tar -cf "$folder/archive.tar" "$top")
  case $2 in
    *.gz) gzip -c "$folder/archive.tar" ;;
    *) zstd -q -c "$folder/archive.tar" ;;
  esac >"$release/gpubench-$1-$2"
}

sums_of() { (cd "$folder/releases/v$1" && sha256 gpubench-* >SHA256SUMS); }

sha256() { if type -P sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }

cpu=linux-x86_64-cpu.tar.zst
small=linux-x86_64.tar.zst

make_releases() {
  local name
  for name in $cpu $small linux-aarch64-cpu.tar.zst linux-aarch64.tar.zst macos-arm64.tar.gz; do archive "$version" "$name"; done
  for name in $cpu $small; do archive 9.8.0 "$name"; done
  sums_of "$version"
  sums_of 9.8.0
  release_with_a_flaw 9.1.0 'echo damaged >>'
  release_with_a_flaw 9.2.0 truncate_file
  sums_of 9.2.0
  change_tree() { printf '#!/bin/sh\necho "no such library" >&2\nexit 127\n' >"$1/bin/gpubench"; }
  archive 9.3.0 $cpu && sums_of 9.3.0
  change_tree() { rm "$1/bin/gpubench"; }
  archive 9.4.0 $cpu && sums_of 9.4.0
  unset -f change_tree
  archive 9.5.0 $cpu && echo "" >"$folder/releases/v9.5.0/SHA256SUMS"
  # With fewer pages than the others.
  change_tree() { rm "$1/share/fish/vendor_completions.d/gpubench.fish"; }
  archive 9.6.0 $cpu && sums_of 9.6.0
  unset -f change_tree
}

truncate_file() { head -c 300 "$1" >"$1.part" && mv "$1.part" "$1"; }

# release_with_a_flaw VERSION COMMAND: the command is given the archive after its checksum was taken.
release_with_a_flaw() {
  archive "$1" $cpu
  sums_of "$1"
  eval "$2 \"\$folder/releases/v$1/gpubench-$1-$cpu\""
}

# --- The machine

# stand_in NAME TEXT: a command of the machine, before all others.
stand_in() {
  rm -f "$folder/stand-ins/$1"
  printf '#!/bin/sh\n%s\n' "$2" >"$folder/stand-ins/$1"
  chmod 755 "$folder/stand-ins/$1"
}

lacks_tool() { for tool in "$@"; do rm -f "$folder/tools/$tool" "$folder/stand-ins/$tool"; done; }

# machine SYSTEM PROCESSOR: a bare one, of a user with an empty home and without an NVIDIA driver.
machine() {
  rm -rf "${folder:?}"/{home,tools,stand-ins,"a prefix"}
  mkdir -p "$folder"/{home,tools,stand-ins}
  local tool
  for tool in cat chmod curl gzip head ln mkdir mv readlink rm sha256sum shasum tail tar wc wget zstd; do
    ! type -P "$tool" >/dev/null || ln -s "$(type -P "$tool")" "$folder/tools/$tool"
  done
  # shellcheck disable=SC2016 # The stand-in expands it.
  stand_in uname 'case $1 in -s) echo '"$1"' ;; -m) echo '"$2"' ;; esac'
  stand_in id 'echo 1000'
  stand_in getconf 'echo glibc 2.35'
  stand_in ldconfig 'echo libc.so.6'
  stand_in sysctl 'echo 0'
  stand_in sleep ''
  releases=$folder/releases/v$version
}

bare_path=$folder/stand-ins:$folder/tools
bare=(env -i HOME="$folder/home" PATH="$bare_path")

# installs ARGUMENT...: sets `status`.
installs() {
  status=0
  "${bare[@]}" "${shell[@]}" "$script" "$@" </dev/null >"$folder/stdout" 2>"$folder/stderr" || status=$?
}

# refuses WHAT CODE WORDS
refuses() {
  check "$1: exit code $2" is "$status" "$2"
  check "$1: in one line" is "$(count_lines stderr)" 1
  check "$1: says why" says stderr "$3"
}

# has PREFIX NAME VERSION: the program there is of this archive, and nothing is left beside it.
has() {
  check "$2 is installed" is_of "$@"
  check "$2: nothing is left of the work" is "$(echo "$1"/lib/.*work*)" "$1/lib/.*work*"
}

# is_of FOLDER NAME VERSION: the program there is of this archive.
is_of() { [[ $("$1/bin/gpubench" --version | head -n 1) == "gpubench $3 of $2" ]]; }

is_bare() { [[ -z $(find "$1" ! -type d 2>/dev/null) && -z $(ls -A "$1/lib" 2>/dev/null) ]]; }

contents() { (cd "$1" && find . | sort); }

# --- A server

# Below /whole it serves the releases, also from the middle on. Below /cut an archive breaks off in the middle at the first time,
# below /stubborn that too, and it cannot be gone on with; below /stall it never comes.
write_server() {
  cat >"$folder/server.py" <<'END'
import http.server, os, re, select, sys

root, log, port_file, parent = sys.argv[1], open(sys.argv[2], "a", buffering=1), sys.argv[3], os.getppid()
broken_off = set()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        # What follows a mode, as in /cut-1, makes it another address.
        _, mode, path = re.sub("^(/[a-z]+)-[^/]*", r"\1", self.path).split("/", 2)
        name = os.path.join(root, path)
        if not os.path.isfile(name):
            return self.send_error(404)
        with open(name, "rb") as file:
            data = file.read()
        is_archive = ".tar." in path
        wanted = re.match(r"bytes=(\d+)-$", self.headers.get("Range", ""))
        start = int(wanted[1]) if wanted and mode != "stubborn" else 0
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(data) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.end_headers()
        log.write(f"{mode} {path} from {start}\n")
        if is_archive and mode == "stall":
            return self.stall()
        if is_archive and mode in ("cut", "stubborn") and self.path not in broken_off:
            broken_off.add(self.path)
            data = data[: len(data) // 2]
        self.wfile.write(data[start:])

    def stall(self):
        self.wfile.write(b"part")
        self.wfile.flush()
        log.write("stalls\n")
        select.select([self.connection], [], [])
        log.write("is left\n")

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def service_actions(self):
        if os.getppid() != parent:
            os._exit(0)


server = Server(("127.0.0.1", 0), Handler)
with open(port_file + ".part", "w") as file:
    file.write(str(server.server_address[1]))
os.rename(port_file + ".part", port_file)
server.serve_forever()
END
}

# The address is in `address`; empty where there can be no server.
start_server() {
  address=
  if ! python3 -c 'import http.server, sys; assert sys.version_info >= (3, 7)' 2>/dev/null; then
    echo "skipped: downloads, since there is no python3 of 3.7 or newer"
    return
  fi
  write_server
  touch "$folder/log"
  python3 "$folder/server.py" "$folder/releases" "$folder/log" "$folder/port" 2>"$folder/server-errors" &
  server=$!
  comes_to_be "the server starts" test -e "$folder/port"
  address=http://127.0.0.1:$(cat "$folder/port")
}

# comes_to_be SENTENCE COMMAND...: it becomes true, sooner or later.
comes_to_be() {
  local sentence=$1 i
  shift
  for ((i = 0; i < 3000; i++)); do
    if "$@"; then return; fi
    sleep 0.1
  done
  touch "$folder/stderr"
  check "$sentence" false
  exit 1
}

# --- Which archive

takes() {
  installs --from "$releases" "${@:2}"
  check "$1: is installed${*:2}" is "$status" 0
  has "$folder/home/.local" "$1" "$version"
}

test_each_machine_gets_its_archive() {
  machine Linux x86_64
  if [[ -e /proc/driver/nvidia ]]; then
    echo "skipped: which archive is taken without an NVIDIA driver, since this machine has one"
  else
    takes linux-x86_64-cpu.tar.zst
    machine Linux aarch64
    takes linux-aarch64-cpu.tar.zst
  fi
  takes linux-aarch64.tar.zst --device cuda
  takes linux-aarch64-cpu.tar.zst --device=cpu
  machine Darwin arm64
  takes macos-arm64.tar.gz
  takes macos-arm64.tar.gz --device cpu
}

test_a_driver_asks_for_the_small_archive() {
  machine Linux x86_64
  stand_in nvidia-smi 'echo "NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver"; exit 9'
  takes linux-x86_64-cpu.tar.zst
  stand_in nvidia-smi 'echo "GPU 0: NVIDIA H200 (UUID: GPU-0)"'
  takes linux-x86_64.tar.zst
  check "LibTorch is to be fetched first" says stderr "setup, which fetches LibTorch; then"
  takes linux-x86_64-cpu.tar.zst --device cpu
  check "with LibTorch beside it nothing is to be fetched" lacks stderr setup
  machine Linux aarch64
  stand_in ldconfig 'echo "	libcuda.so.1 (libc6,AArch64) => /lib/libcuda.so.1"'
  takes linux-aarch64.tar.zst
}

test_machines_that_are_not_served_are_named() {
  machine Darwin x86_64
  installs --from "$releases"
  refuses "an Intel Mac" 4 "a Mac with an Intel processor; build from a clone"
  stand_in sysctl 'echo 1'
  takes macos-arm64.tar.gz
  check "a translated shell is said so" says stderr "runs under Rosetta"
  machine Linux riscv64
  installs --from "$releases"
  refuses "another processor" 4 "Linux on riscv64"
  machine FreeBSD amd64
  installs --from "$releases"
  refuses "another system" 4 "FreeBSD on amd64"
  machine Darwin arm64
  installs --from "$releases" --device cuda
  refuses "CUDA on a Mac" 2 "no CUDA on a Mac"
  check "nothing was written by all these" is_bare "$folder/home"
}

test_the_c_library_is_looked_at() {
  machine Linux x86_64
  stand_in getconf 'echo glibc 2.34'
  installs --from "$releases"
  refuses "an old glibc" 4 "glibc 2.34 (2.35 or newer is needed)"
  stand_in getconf 'exit 1'
  stand_in ldd 'echo "musl libc (x86_64)" >&2; echo "Version 1.2.4" >&2; exit 1'
  installs --from "$releases"
  refuses "musl" 4 "the C library musl"
  stand_in ldd 'echo "ldd (Debian GLIBC 2.31-13) 2.31"; echo "Copyright"'
  installs --from "$releases"
  refuses "an old glibc without getconf" 4 "glibc 2.31 ("
  check "nothing was written by all these" is_bare "$folder/home"
  stand_in getconf 'echo glibc 3.0'
  takes $cpu --device cpu
}

# --- What is asked for

test_the_version_is_the_projects() {
  check "install.sh installs $version, which is the version in CMakeLists.txt" \
    grep -q "^project(gpubench VERSION $version " "$root/CMakeLists.txt"
  check "it names no address of its own" is "$(grep -c '^releases=$' "$script")" 1
}

test_wrong_options_are_refused() {
  machine Linux x86_64
  installs --devise cpu
  refuses "an option that is none" 2 "--devise: is no option"
  installs --device mps
  refuses "a device that is none" 2 "--device mps: give cpu or cuda"
  installs --version ../../etc
  refuses "a version that is none" 2 "--version ../../etc: give one like"
  installs --version 1/../..
  refuses "a version with a path in it" 2 "--version 1/../..: give one like"
  installs --prefix
  refuses "a missing value" 2 "--prefix: a value is missing"
  installs
  refuses "no address at all" 2 "give the address of the releases, or a folder"
  installs --from "$folder/none"
  refuses "a folder that is not there" 2 "is neither a folder nor an address"
  installs --from ftp://example.org
  refuses "an address of another kind" 2 "is neither a folder nor an address"
  check "nothing was written by all these" is_bare "$folder/home"
  installs --help
  check "help is no error" is "$status" 0
  check "help names the options" says stdout "--uninstall"
}

test_where_releases_are_may_be_a_variable_or_a_line_of_the_script() {
  machine Linux x86_64
  "${bare[@]}" GPUBENCH_RELEASES="$releases" "${shell[@]}" "$script" --device cpu 2>"$folder/stderr"
  has "$folder/home/.local" $cpu "$version"
  rm -rf "$folder/home/.local"
  sed "s|^releases=\$|releases=$releases|" "$script" >"$folder/filled.sh"
  "${bare[@]}" "${shell[@]}" "$folder/filled.sh" --device cpu 2>"$folder/stderr"
  has "$folder/home/.local" $cpu "$version"
}

# --- What is fetched

installs_nothing() {
  refuses "$1" "$2" "$3"
  check "$1: nothing is installed" is_bare "$folder/home"
}

test_what_is_not_intact_is_not_taken() {
  machine Linux x86_64
  installs --from "$folder/releases/v9.1.0" --version 9.1.0 --device cpu
  installs_nothing "an altered archive" 3 "is not intact: its SHA-256 is not the one in SHA256SUMS"
  installs --from "$folder/releases/v9.5.0" --version 9.5.0 --device cpu
  installs_nothing "an archive without a checksum" 3 "has no checksum of gpubench-9.5.0-$cpu"
  installs --from "$folder/releases/v9.6.0" --version 9.6.0 --device cuda
  installs_nothing "an archive that is not there" 3 "there is no gpubench-9.6.0-$small in it"
  installs --from "$folder" --device cpu
  installs_nothing "a folder without a release" 3 "there is no SHA256SUMS in it"
}

test_what_cannot_be_unpacked_or_run_changes_nothing() {
  machine Linux x86_64
  takes $cpu --device cpu
  contents "$folder/home" >"$folder/before"
  installs --from "$folder/releases/v9.2.0" --version 9.2.0 --device cpu
  check "a truncated archive" is "$status" 3
  check "is said" says stderr "cannot unpack gpubench-9.2.0-$cpu"
  installs --from "$folder/releases/v9.3.0" --version 9.3.0 --device cpu
  check "a program that does not run" is "$status" 4
  check "is said with its words" says stderr "does not run here: no such library"
  installs --from "$folder/releases/v9.4.0" --version 9.4.0 --device cpu
  check "an archive without a program" is "$status" 3
  check "is said too" says stderr "it has no bin/gpubench"
  status=0
  (ulimit -c 0 -f 100 && installs --from "$folder/releases/v9.8.0" --version 9.8.0 --device cpu && exit "$status") || status=$?
  check "what cannot be written" is "$status" 3
  check "is said with the remedy" says stderr "look whether there is room in"
  check "all is as it was" is "$(contents "$folder/home")" "$(cat "$folder/before")"
}

test_missing_tools_are_named() {
  machine Linux x86_64
  lacks_tool curl wget
  installs --from http://127.0.0.1:1 --device cpu
  installs_nothing "neither curl nor wget" 3 "neither curl nor wget is there"
  takes $cpu --device cpu
  machine Linux x86_64
  lacks_tool zstd
  installs --from "$releases"
  installs_nothing "no zstd" 3 "install the package zstd of this system"
  local manager
  for manager in "apk apk add" "pacman pacman -S" "dnf dnf install" "apt-get apt-get install"; do
    stand_in "${manager%% *}" ''
    installs --from "$releases"
    installs_nothing "no zstd, with ${manager%% *}" 3 "run: ${manager#* } zstd"
  done
  machine Darwin arm64
  lacks_tool zstd
  takes macos-arm64.tar.gz
  machine Linux x86_64
  lacks_tool tar
  installs --from "$releases"
  installs_nothing "no tar" 3 "tar is missing"
  machine Linux x86_64
  lacks_tool sha256sum shasum
  installs --from "$releases"
  installs_nothing "no checksums" 3 "neither sha256sum nor shasum"
  machine Linux x86_64
  type -P shasum >/dev/null || stand_in shasum "shift 2; exec '$(type -P sha256sum)'"
  lacks_tool sha256sum
  takes $cpu --device cpu
}

# --- Downloads

# by_each TEST: with each of the programs that download.
by_each() {
  local tool other
  [[ -n $address ]] || return 0
  for tool in curl wget; do
    if ! type -P $tool >/dev/null; then
      echo "skipped: downloads with $tool, which is not installed"
      continue
    fi
    other=wget
    [[ $tool == curl ]] || other=curl
    machine Linux x86_64
    lacks_tool $other
    : >"$folder/log"
    "$1" $tool
  done
}

fetches() {
  installs --from "$address/$2" --device cpu
  check "$1 $2: is installed" is "$status" 0
  has "$folder/home/.local" $cpu "$version"
}

test_downloads() { by_each downloads; }
downloads() {
  fetches "$1" whole
  check "$1: nothing is told of it" lacks stderr "broke off"
  installs --from "$address/whole/" --device cpu --version v9.8.0
  has "$folder/home/.local" $cpu 9.8.0
}

test_a_broken_download_is_gone_on_with() { by_each broken_downloads; }
broken_downloads() {
  local mode
  for mode in cut stubborn; do
    fetches "$1" "$mode-$1-${shell[0]##*/}"
    check "$1 $mode: that it broke off is told" says stderr "the download broke off; it goes on from there"
  done
  check "$1: the second part alone is fetched" grep -q "^cut v$version/.*$cpu from [1-9]" "$folder/log"
  check "$1: a server that cannot go on is asked for all of it" is "$(grep -c "^cut v$version/.*$cpu from 0" "$folder/log")" 1
}

test_a_server_that_has_nothing_is_told() { by_each failing_downloads; }
failing_downloads() {
  installs --from "$address/whole" --version 1.2.3
  installs_nothing "$1: a version that is not there" 3 "cannot fetch $address/whole/v1.2.3/SHA256SUMS: "
  check "$1: with the answer" says stderr 404
  installs --from http://127.0.0.1:1
  check "$1: a server that is not there" is "$status" 3
  check "$1: is said" says stderr "cannot fetch http://127.0.0.1:1/v$version/SHA256SUMS"
  check "$1: in one line" is "$(count_lines stderr)" 1
  installs --from "$address/whole" --version 9.1.0 --device cpu
  check "$1: an altered archive is refused" is "$status" 3
  check "$1: that is said" says stderr "is not intact"
  check "$1: it is not installed" is_bare "$folder/home"
}

# --- Where it is put

test_the_prefix() {
  machine Linux x86_64
  installs --from "$releases" --device cpu --prefix "$folder/a prefix/of two"
  check "a prefix with spaces" is "$status" 0
  has "$folder/a prefix/of two" $cpu "$version"
  check "is told as it is to be typed" says stderr "to begin: \"$folder/a prefix/of two/bin/gpubench\" suite quick"
  (cd "$folder/home" && installs --from ../releases/v9.8.0 --version 9.8.0 --device cpu --prefix here)
  has "$folder/home/here" $cpu 9.8.0
  echo >"$folder/home/file"
  installs --from "$releases" --prefix "$folder/home/file/prefix"
  refuses "a prefix that cannot be written" 2 "--prefix $folder/home/file/prefix: cannot be written"
  "${bare[@]}" HOME= "${shell[@]}" "$script" --from "$releases" 2>"$folder/stderr" || status=$?
  refuses "no home" 2 "HOME is not set"
  stand_in id 'echo 0'
  (umask 077 && installs --from "$releases" --device cpu --prefix "$folder/home/all")
  check "what root installs is for all" is "$(find "$folder/home/all" ! -type l ! -perm -044)" ""
}

test_what_is_said_of_the_path() {
  machine Linux x86_64
  local bin=$folder/home/.local/bin
  takes $cpu --device cpu
  check "what to add to PATH is said" says stderr "export PATH=\"$bin:\$PATH\""
  "${bare[@]}" PATH="$bare_path:$bin" "${shell[@]}" "$script" --from "$releases" --device cuda 2>"$folder/stderr"
  check "nothing has to be added" lacks stderr "export PATH"
  check "it is called by its name" says stderr "to begin: gpubench setup --device cuda, which"
  check "both times" says stderr "; then gpubench suite quick"
  stand_in gpubench 'echo another'
  "${bare[@]}" PATH="$bare_path:$bin" "${shell[@]}" "$script" --from "$releases" --device cpu 2>"$folder/stderr"
  check "another one that comes first is named" says stderr "PATH has another one first, $folder/stand-ins/gpubench; "
}

test_installing_again_replaces_it() {
  machine Linux x86_64
  takes $cpu --device cpu
  contents "$folder/home" >"$folder/before"
  touch "$folder/home/.local/lib/gpubench-$version/of the first one"
  takes $small --device cuda
  check "nothing of the first one is left" is "$(contents "$folder/home")" "$(cat "$folder/before")"
}

test_versions_lie_beside_each_other() {
  machine Linux x86_64
  takes $cpu --device cpu
  installs --from "$folder/releases/v9.6.0" --version 9.6.0 --device cpu
  has "$folder/home/.local" $cpu 9.6.0
  check "a file that it has not is no longer linked" test ! -L "$folder/home/.local/share/fish/vendor_completions.d/gpubench.fish"
  check "one that it has is its own" is "$(cat "$folder/home/.local/share/bash-completion/completions/gpubench")" 9.6.0
  check "the other version is there" is_of "$folder/home/.local/lib/gpubench-$version" $cpu "$version"
  installs --uninstall
  check "uninstalling succeeds" is "$status" 0
  check "it removes both" is_bare "$folder/home"
  installs --uninstall
  check "uninstalling nothing succeeds" is "$status" 0
  check "and says so" says stderr "there is nothing of this script in $folder/home/.local"
}

test_what_is_of_others_stays() {
  machine Linux x86_64
  local prefix=$folder/home/.local
  mkdir -p "$prefix"/{bin,lib/gpubench-9-notes,lib/gpubench,share/bash-completion/completions,share/zsh/site-functions}
  echo mine | tee "$prefix/bin/other" "$prefix/lib/gpubench-9-notes/text" "$prefix/lib/gpubench/engine" \
    >"$prefix/share/bash-completion/completions/gpubench"
  ln -s /nowhere "$prefix/share/zsh/site-functions/_gpubench"
  contents "$prefix" >"$folder/before"
  installs --from "$releases" --device cpu
  check "it is installed beside what is of others" is_of "$prefix" $cpu "$version"
  check "a file of others is told" says stderr "share/bash-completion/completions/gpubench was not put there by this script, and stays"
  check "so is a link that leads nowhere" says stderr "share/zsh/site-functions/_gpubench was not put there"
  installs --uninstall
  rmdir "$prefix"/share/{fish/vendor_completions.d,fish}
  check "all of that is there afterwards, and nothing else" is "$(contents "$prefix")" "$(cat "$folder/before")"
  check "as it was" is "$(cat "$prefix/share/bash-completion/completions/gpubench")" mine
}

test_a_program_of_others_is_not_replaced() {
  machine Linux x86_64
  local prefix=$folder/home/.local
  mkdir -p "$prefix/bin" "$prefix/lib/gpubench-$version"
  installs --from "$releases"
  refuses "a folder of others" 2 "lib/gpubench-$version was not put there by this script; remove it"
  ln -s ../elsewhere "$prefix/bin/gpubench"
  installs --from "$releases"
  refuses "a program of others" 2 "bin/gpubench was not put there by this script; remove it"
  check "it is as it was" is "$(readlink "$prefix/bin/gpubench")" ../elsewhere
}

# --- Ends in the middle

begins() {
  "${bare[@]}" "${shell[@]}" "$script" "$@" </dev/null >"$folder/stdout" 2>"$folder/stderr" &
  installation=$!
}

# is_ended_by SIGNAL CODE
is_ended_by() {
  kill "-$1" "$installation"
  status=0
  wait "$installation" || status=$?
  installation=
  check "an end by $1 has its exit code" is "$status" "$2"
}

test_an_end_while_the_download_stalls() { by_each stalled_downloads; }
stalled_downloads() {
  begins --from "$address/stall" --device cpu
  comes_to_be "$1: the download stalls" says log stalls
  is_ended_by TERM 143
  check "$1: nothing is left" is_bare "$folder/home"
  comes_to_be "$1: the download is ended too" says log "is left"
}

test_an_end_while_unpacking() {
  machine Linux x86_64
  takes $cpu --device cpu
  contents "$folder/home/.local" >"$folder/before"
  # The folder is the last word of its command line.
  # shellcheck disable=SC2016 # The stand-in expands it.
  stand_in tar 'for word; do :; done; : >"$word/a part"; : >"$HOME/unpacks"; exec '"$(type -P sleep)"' 300'
  begins --from "$releases" --device cpu
  comes_to_be "it unpacks" test -e "$folder/home/unpacks"
  is_ended_by HUP 129
  check "the earlier installation is there, and nothing else" is "$(contents "$folder/home/.local")" "$(cat "$folder/before")"
}

test_what_a_killed_run_left_is_removed() {
  machine Linux x86_64
  local lib=$folder/home/.local/lib
  # No process has this number; the other one is of this test.
  mkdir -p "$lib/.gpubench-work.999999999/tree" "$lib/.gpubench-work.$$"
  installs --from "$releases" --device cpu
  check "it is gone" test ! -e "$lib/.gpubench-work.999999999"
  check "that of a process that lives is there" test -d "$lib/.gpubench-work.$$"
}

from_stdin() {
  "${bare[@]}" GPUBENCH_RELEASES="$releases" "${shell[@]}" -s -- --device cpu >"$folder/stdout" 2>"$folder/stderr"
}

test_a_copy_that_was_cut_off_runs_nothing() {
  machine Linux x86_64
  local size length
  size=$(($(wc -c <"$script")))
  for length in $(seq 1 199 "$size") $(seq $((size - 20)) $((size - 2))); do
    head -c "$length" "$script" | from_stdin || true
    [[ -z $(ls -A "$folder/home") ]] || break
  done
  check "the first $length of $size bytes run nothing" is "$(ls -A "$folder/home")" ""
  from_stdin <"$script"
  has "$folder/home/.local" $cpu "$version"
}

# --- In each shell

make_releases
start_server
for name in "dash" "bash --posix" "busybox sh"; do
  read -r -a shell <<<"$name"
  if ! type -P "${shell[0]}" >/dev/null; then
    echo "skipped: $name, which is not installed"
    continue
  fi
  shell[0]=$(type -P "${shell[0]}")
  echo "in $name:"
  run_tests
done
