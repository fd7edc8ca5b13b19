#!/usr/bin/env bash
# Tests scripts/install.sh on simulated machines whose commands are fakes, with small archives of a
# fake gpubench, from a folder and from a local server, in each available sh.

# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"

script=$root/scripts/install.sh
version=$(sed -n 's/^version=//p' "$script")
# The temporary folder of macOS is a link, and the script prints resolved paths.
folder=$(cd "$folder" && pwd -P)
server=
installation=
trap 'stop "$server"; stop "$installation"; rm -rf "$folder"' EXIT

stop() { [[ -z $1 ]] || { kill "$1" && wait "$1"; } 2>/dev/null || true; }

for tool in tar zstd gzip; do
  type -P "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done

# --- Releases

# program_tree FOLDER VERSION NAME: creates the files of an archive. The program prints the name.
program_tree() {
  mkdir -p "$1"/{bin,lib/gpubench} "$1"/share/{bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
  printf '#!/bin/sh\necho "gpubench %s of %s"\necho more\n' "$2" "$3" >"$1/bin/gpubench"
  chmod 755 "$1/bin/gpubench"
  # Larger than the file size limit of the test of a full disk.
  head -c 200000 /dev/zero >"$1/lib/gpubench/libgpubench_engine.so"
  local file
  for file in bash-completion/completions/gpubench zsh/site-functions/_gpubench fish/vendor_completions.d/gpubench.fish; do
    echo "$2" >"$1/share/$file"
  done
}

# archive VERSION NAME: adds an archive to the release.
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

write_sums() { (cd "$folder/releases/v$1" && sha256 gpubench-* >SHA256SUMS); }

sha256() { if type -P sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }

cpu=linux-x86_64-cpu.tar.zst
small=linux-x86_64.tar.zst

make_releases() {
  local name
  for name in $cpu $small linux-aarch64-cpu.tar.zst linux-aarch64.tar.zst macos-arm64.tar.gz; do archive "$version" "$name"; done
  for name in $cpu $small; do archive 9.8.0 "$name"; done
  write_sums "$version"
  write_sums 9.8.0
  release_with_a_flaw 9.1.0 'echo damaged >>'
  release_with_a_flaw 9.2.0 truncate_file
  write_sums 9.2.0
  change_tree() { printf '#!/bin/sh\necho "no such library" >&2\nexit 127\n' >"$1/bin/gpubench"; }
  archive 9.3.0 $cpu && write_sums 9.3.0
  change_tree() { rm "$1/bin/gpubench"; }
  archive 9.4.0 $cpu && write_sums 9.4.0
  unset -f change_tree
  archive 9.5.0 $cpu && echo "" >"$folder/releases/v9.5.0/SHA256SUMS"
  # A release with fewer files.
  change_tree() { rm "$1/share/fish/vendor_completions.d/gpubench.fish"; }
  archive 9.6.0 $cpu && write_sums 9.6.0
  unset -f change_tree
}

truncate_file() { head -c 300 "$1" >"$1.part" && mv "$1.part" "$1"; }

# release_with_a_flaw VERSION COMMAND: applies the command to the archive but keeps its checksum.
release_with_a_flaw() {
  archive "$1" $cpu
  write_sums "$1"
  eval "$2 \"\$folder/releases/v$1/gpubench-$1-$cpu\""
}

# --- The machine

# stand_in NAME TEXT: adds a fake command, which comes first on PATH.
stand_in() {
  rm -f "$folder/stand-ins/$1"
  printf '#!/bin/sh\n%s\n' "$2" >"$folder/stand-ins/$1"
  chmod 755 "$folder/stand-ins/$1"
}

lacks_tool() { for tool in "$@"; do rm -f "$folder/tools/$tool" "$folder/stand-ins/$tool"; done; }

# machine SYSTEM PROCESSOR: sets up a minimal machine with an empty home and no NVIDIA driver.
machine() {
  rm -rf "${folder:?}"/{home,tools,stand-ins,"a prefix"}
  mkdir -p "$folder"/{home,tools,stand-ins}
  local tool
  for tool in cat chmod curl gzip head ln mkdir mv readlink rm sha256sum shasum tail tar wc wget zstd; do
    ! type -P "$tool" >/dev/null || ln -s "$(type -P "$tool")" "$folder/tools/$tool"
  done
  # shellcheck disable=SC2016 # The fake expands it.
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

# fails_with CASE CODE MESSAGE
fails_with() {
  check "$1: exits with $2, not $status" is "$status" "$2"
  check "$1: prints one line" is "$(count_lines stderr)" 1
  check "$1: prints: $3" says stderr "$3"
}

# has PREFIX NAME VERSION: checks that this archive is installed without leftovers.
has() {
  check "$2 is installed" comes_from "$@"
  check "$2: no working folder is left" is "$(echo "$1"/lib/.*work*)" "$1/lib/.*work*"
}

# comes_from FOLDER NAME VERSION: succeeds if the program in the folder comes from this archive.
comes_from() { [[ $("$1/bin/gpubench" --version | head -n 1) == "gpubench $3 of $2" ]]; }

is_bare() { [[ -z $(find "$1" ! -type d 2>/dev/null) && -z $(ls -A "$1/lib" 2>/dev/null) ]]; }

contents() { (cd "$1" && find . | sort); }

# --- A server

# The server has these modes: /whole serves the releases and supports resuming; /cut breaks off the
# first download of an archive in the middle; /stubborn does so too, without support for resuming;
# /stall never completes an archive.
write_server() {
  cat >"$folder/server.py" <<'END'
import http.server, os, re, select, sys

root, log, port_file, parent = sys.argv[1], open(sys.argv[2], "a", buffering=1), sys.argv[3], os.getppid()
broken_off = set()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        # A suffix of the mode, as in /cut-1, makes another URL.
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
        log.write("connection closed\n")

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

# Sets `address` to the URL of the server; empty if it cannot run.
start_server() {
  address=
  if ! python3 -c 'import http.server, sys; assert sys.version_info >= (3, 7)' 2>/dev/null; then
    echo "skipped: downloads, which need python3 3.7 or newer"
    return
  fi
  write_server
  touch "$folder/log"
  python3 "$folder/server.py" "$folder/releases" "$folder/log" "$folder/port" 2>"$folder/server-errors" &
  server=$!
  comes_to_be "the server starts" test -e "$folder/port"
  address=http://127.0.0.1:$(cat "$folder/port")
}

# comes_to_be SENTENCE COMMAND...: waits until the command succeeds.
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

# --- Choice of the archive

# takes NAME ARGUMENT...: checks that this archive is installed.
takes() {
  installs --from "$releases" "${@:2}"
  check "$1: is installed${*:2}" is "$status" 0
  has "$folder/home/.local" "$1" "$version"
}

test_each_machine_gets_its_archive() {
  machine Linux x86_64
  if [[ -e /proc/driver/nvidia ]]; then
    echo "skipped: the archive for machines without an NVIDIA driver, since this machine has one"
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

test_a_driver_selects_the_small_archive() {
  machine Linux x86_64
  stand_in nvidia-smi 'echo "NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver"; exit 9'
  takes linux-x86_64-cpu.tar.zst
  stand_in nvidia-smi 'echo "GPU 0: NVIDIA H200 (UUID: GPU-0)"'
  takes linux-x86_64.tar.zst
  check "the message names setup" says stderr "setup, which fetches LibTorch; then"
  takes linux-x86_64-cpu.tar.zst --device cpu
  check "an archive with LibTorch needs no setup" lacks stderr setup
  machine Linux aarch64
  stand_in ldconfig 'echo "	libcuda.so.1 (libc6,AArch64) => /lib/libcuda.so.1"'
  takes linux-aarch64.tar.zst
}

test_unsupported_machines_are_rejected() {
  machine Darwin x86_64
  installs --from "$releases"
  fails_with "an Intel Mac" 4 "a Mac with an Intel processor; build from source"
  stand_in sysctl 'echo 1'
  takes macos-arm64.tar.gz
  check "the message names Rosetta" says stderr "runs under Rosetta"
  machine Linux riscv64
  installs --from "$releases"
  fails_with "another processor" 4 "Linux on riscv64"
  machine FreeBSD amd64
  installs --from "$releases"
  fails_with "another system" 4 "FreeBSD on amd64"
  machine Darwin arm64
  installs --from "$releases" --device cuda
  fails_with "CUDA on a Mac" 2 "--device cuda: unsupported on macOS"
  check "none of these wrote a file" is_bare "$folder/home"
}

test_the_c_library_is_checked() {
  machine Linux x86_64
  stand_in getconf 'echo glibc 2.34'
  installs --from "$releases"
  fails_with "an old glibc" 4 "glibc 2.34 (needs 2.35 or newer)"
  stand_in getconf 'exit 1'
  stand_in ldd 'echo "musl libc (x86_64)" >&2; echo "Version 1.2.4" >&2; exit 1'
  installs --from "$releases"
  fails_with "musl" 4 "the C library musl"
  stand_in ldd 'echo "ldd (Debian GLIBC 2.31-13) 2.31"; echo "Copyright"'
  installs --from "$releases"
  fails_with "an old glibc without getconf" 4 "glibc 2.31 ("
  check "none of these wrote a file" is_bare "$folder/home"
  stand_in getconf 'echo glibc 3.0'
  takes $cpu --device cpu
}

# --- Options

test_the_version_is_that_of_the_project() {
  check "install.sh installs $version, which is the version in CMakeLists.txt" \
    grep -q "^project(gpubench VERSION $version " "$root/CMakeLists.txt"
  check "the URL of the releases is empty" is "$(grep -c '^releases=$' "$script")" 1
}

test_wrong_options_are_rejected() {
  machine Linux x86_64
  installs --devise cpu
  fails_with "an unknown option" 2 "--devise: unknown option"
  installs --device mps
  fails_with "an unknown device" 2 "--device mps: unknown device; give cpu or cuda"
  installs --version ../../etc
  fails_with "an invalid version" 2 "--version ../../etc: not a version; give one like"
  installs --version 1/../..
  fails_with "a version with a path" 2 "--version 1/../..: not a version; give one like"
  installs --prefix
  fails_with "a missing value" 2 "--prefix: its value is missing"
  installs
  fails_with "a missing URL" 2 "--from: is missing; give the URL of the releases, or a folder"
  installs --from "$folder/none"
  fails_with "a missing folder" 2 "neither a folder nor an http or https URL"
  installs --from ftp://example.org
  fails_with "an unsupported URL" 2 "neither a folder nor an http or https URL"
  check "none of these wrote a file" is_bare "$folder/home"
  installs --help
  check "--help exits with 0" is "$status" 0
  check "the help lists the options" says stdout "--uninstall"
}

test_the_source_comes_from_a_variable_or_a_line_of_the_script() {
  machine Linux x86_64
  "${bare[@]}" GPUBENCH_RELEASES="$releases" "${shell[@]}" "$script" --device cpu 2>"$folder/stderr"
  has "$folder/home/.local" $cpu "$version"
  rm -rf "$folder/home/.local"
  sed "s|^releases=\$|releases=$releases|" "$script" >"$folder/filled.sh"
  "${bare[@]}" "${shell[@]}" "$folder/filled.sh" --device cpu 2>"$folder/stderr"
  has "$folder/home/.local" $cpu "$version"
}

# --- Checks of the archive

installs_nothing() {
  fails_with "$1" "$2" "$3"
  check "$1: nothing is installed" is_bare "$folder/home"
}

test_damaged_archives_are_rejected() {
  machine Linux x86_64
  installs --from "$folder/releases/v9.1.0" --version 9.1.0 --device cpu
  installs_nothing "an altered archive" 3 "its SHA-256 differs from SHA256SUMS"
  installs --from "$folder/releases/v9.5.0" --version 9.5.0 --device cpu
  installs_nothing "an archive without a checksum" 3 "SHA256SUMS: no checksum of gpubench-9.5.0-$cpu"
  installs --from "$folder/releases/v9.6.0" --version 9.6.0 --device cuda
  installs_nothing "a missing archive" 3 "gpubench-9.6.0-$small is missing"
  installs --from "$folder" --device cpu
  installs_nothing "a folder without a release" 3 "SHA256SUMS is missing"
}

test_archives_that_do_not_unpack_or_run_change_nothing() {
  machine Linux x86_64
  takes $cpu --device cpu
  contents "$folder/home" >"$folder/before"
  installs --from "$folder/releases/v9.2.0" --version 9.2.0 --device cpu
  check "a truncated archive exits with 3, not $status" is "$status" 3
  check "a truncated archive is reported" says stderr "cannot unpack gpubench-9.2.0-$cpu"
  installs --from "$folder/releases/v9.3.0" --version 9.3.0 --device cpu
  check "a program that does not run exits with 4, not $status" is "$status" 4
  check "its message is reported" says stderr "does not run on this machine: no such library"
  installs --from "$folder/releases/v9.4.0" --version 9.4.0 --device cpu
  check "an archive without a program exits with 3, not $status" is "$status" 3
  check "the missing program is reported" says stderr "bin/gpubench is missing"
  status=0
  (ulimit -c 0 -f 100 && installs --from "$folder/releases/v9.8.0" --version 9.8.0 --device cpu && exit "$status") || status=$?
  check "a full disk exits with 3, not $status" is "$status" 3
  check "the message has the remedy" says stderr "check the free space in"
  check "the earlier installation is unchanged" is "$(contents "$folder/home")" "$(cat "$folder/before")"
}

test_missing_tools_are_reported() {
  machine Linux x86_64
  lacks_tool curl wget
  installs --from http://127.0.0.1:1 --device cpu
  installs_nothing "neither curl nor wget" 3 "curl and wget are missing"
  takes $cpu --device cpu
  machine Linux x86_64
  lacks_tool zstd
  installs --from "$releases"
  installs_nothing "no zstd" 3 "zstd is missing; install the package zstd"
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
  installs_nothing "no checksums" 3 "sha256sum and shasum are missing"
  machine Linux x86_64
  type -P shasum >/dev/null || stand_in shasum "shift 2; exec '$(type -P sha256sum)'"
  lacks_tool sha256sum
  takes $cpu --device cpu
}

# --- Downloads

# by_each TEST: runs the test with curl and with wget.
by_each() {
  local tool other
  [[ -n $address ]] || return 0
  for tool in curl wget; do
    if ! type -P $tool >/dev/null; then
      echo "skipped: downloads with $tool, which is missing"
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
  check "$1: no interruption is reported" lacks stderr "interrupted"
  installs --from "$address/whole/" --device cpu --version v9.8.0
  has "$folder/home/.local" $cpu 9.8.0
}

test_an_interrupted_download_is_resumed() { by_each broken_downloads; }
broken_downloads() {
  local mode
  for mode in cut stubborn; do
    fetches "$1" "$mode-$1-${shell[0]##*/}"
    check "$1 $mode: the interruption is reported" says stderr "the download was interrupted; resuming"
  done
  check "$1: only the second part is fetched" grep -q "^cut v$version/.*$cpu from [1-9]" "$folder/log"
  check "$1: the first part is fetched once" is "$(grep -c "^cut v$version/.*$cpu from 0" "$folder/log")" 1
}

test_download_failures_are_reported() { by_each failing_downloads; }
failing_downloads() {
  installs --from "$address/whole" --version 1.2.3
  installs_nothing "$1: a missing version" 3 "cannot fetch $address/whole/v1.2.3/SHA256SUMS: "
  check "$1: the response is reported" says stderr 404
  installs --from http://127.0.0.1:1
  check "$1: an unreachable server exits with 3, not $status" is "$status" 3
  check "$1: an unreachable server is reported" says stderr "cannot fetch http://127.0.0.1:1/v$version/SHA256SUMS"
  check "$1: the message is one line" is "$(count_lines stderr)" 1
  installs --from "$address/whole" --version 9.1.0 --device cpu
  check "$1: an altered archive exits with 3, not $status" is "$status" 3
  check "$1: an altered archive is reported" says stderr "its SHA-256 differs"
  check "$1: an altered archive is not installed" is_bare "$folder/home"
}

# --- The prefix

test_the_prefix() {
  machine Linux x86_64
  installs --from "$releases" --device cpu --prefix "$folder/a prefix/of two"
  check "a prefix with spaces works" is "$status" 0
  has "$folder/a prefix/of two" $cpu "$version"
  check "a prefix with spaces is printed in quotes" says stderr "next: \"$folder/a prefix/of two/bin/gpubench\" suite quick"
  (cd "$folder/home" && installs --from ../releases/v9.8.0 --version 9.8.0 --device cpu --prefix here)
  has "$folder/home/here" $cpu 9.8.0
  echo >"$folder/home/file"
  installs --from "$releases" --prefix "$folder/home/file/prefix"
  fails_with "a prefix that cannot be written" 2 "--prefix $folder/home/file/prefix: cannot be written"
  "${bare[@]}" HOME= "${shell[@]}" "$script" --from "$releases" 2>"$folder/stderr" || status=$?
  fails_with "no home" 2 "HOME is not set"
  stand_in id 'echo 0'
  (umask 077 && installs --from "$releases" --device cpu --prefix "$folder/home/all")
  check "all users can read an installation by root" is "$(find "$folder/home/all" ! -type l ! -perm -044)" ""
}

test_hints_about_path() {
  machine Linux x86_64
  local bin=$folder/home/.local/bin
  takes $cpu --device cpu
  check "the line for PATH is printed" says stderr "export PATH=\"$bin:\$PATH\""
  "${bare[@]}" PATH="$bare_path:$bin" "${shell[@]}" "$script" --from "$releases" --device cuda 2>"$folder/stderr"
  check "no line is printed if PATH contains the folder" lacks stderr "export PATH"
  check "the command for setup has no path" says stderr "next: gpubench setup --device cuda, which"
  check "the command for the suite has no path" says stderr "; then gpubench suite quick"
  stand_in gpubench 'echo another'
  "${bare[@]}" PATH="$bare_path:$bin" "${shell[@]}" "$script" --from "$releases" --device cpu 2>"$folder/stderr"
  check "another gpubench that comes first is reported" says stderr "PATH has another gpubench first, $folder/stand-ins/gpubench; "
}

test_reinstalling_replaces_the_installation() {
  machine Linux x86_64
  takes $cpu --device cpu
  contents "$folder/home" >"$folder/before"
  touch "$folder/home/.local/lib/gpubench-$version/of the first one"
  takes $small --device cuda
  check "no file of the first installation is left" is "$(contents "$folder/home")" "$(cat "$folder/before")"
}

test_versions_coexist() {
  machine Linux x86_64
  takes $cpu --device cpu
  installs --from "$folder/releases/v9.6.0" --version 9.6.0 --device cpu
  has "$folder/home/.local" $cpu 9.6.0
  check "the link to a file that this version lacks is removed" test ! -L "$folder/home/.local/share/fish/vendor_completions.d/gpubench.fish"
  check "other links lead to this version" is "$(cat "$folder/home/.local/share/bash-completion/completions/gpubench")" 9.6.0
  check "the other version is kept" comes_from "$folder/home/.local/lib/gpubench-$version" $cpu "$version"
  installs --uninstall
  check "uninstalling succeeds" is "$status" 0
  check "uninstalling removes both versions" is_bare "$folder/home"
  installs --uninstall
  check "uninstalling without an installation succeeds" is "$status" 0
  check "the missing installation is reported" says stderr "$folder/home/.local: no installation of this script found"
}

test_foreign_files_are_kept() {
  machine Linux x86_64
  local prefix=$folder/home/.local
  mkdir -p "$prefix"/{bin,lib/gpubench-9-notes,lib/gpubench,share/bash-completion/completions,share/zsh/site-functions}
  echo mine | tee "$prefix/bin/other" "$prefix/lib/gpubench-9-notes/text" "$prefix/lib/gpubench/engine" \
    >"$prefix/share/bash-completion/completions/gpubench"
  ln -s /nowhere "$prefix/share/zsh/site-functions/_gpubench"
  contents "$prefix" >"$folder/before"
  installs --from "$releases" --device cpu
  check "the installation succeeds beside foreign files" comes_from "$prefix" $cpu "$version"
  check "a foreign file is reported" says stderr "share/bash-completion/completions/gpubench: not installed by this script; keeping it"
  check "a broken foreign link is reported" says stderr "share/zsh/site-functions/_gpubench: not installed by this script"
  installs --uninstall
  rmdir "$prefix"/share/{fish/vendor_completions.d,fish}
  check "uninstalling keeps exactly the foreign files" is "$(contents "$prefix")" "$(cat "$folder/before")"
  check "foreign files are unchanged" is "$(cat "$prefix/share/bash-completion/completions/gpubench")" mine
}

test_a_foreign_program_is_not_replaced() {
  machine Linux x86_64
  local prefix=$folder/home/.local
  mkdir -p "$prefix/bin" "$prefix/lib/gpubench-$version"
  installs --from "$releases"
  fails_with "a foreign folder" 2 "lib/gpubench-$version: not installed by this script; remove it"
  ln -s ../elsewhere "$prefix/bin/gpubench"
  installs --from "$releases"
  fails_with "a foreign program" 2 "bin/gpubench: not installed by this script; remove it"
  check "the foreign program is unchanged" is "$(readlink "$prefix/bin/gpubench")" ../elsewhere
}

# --- Interruptions

# begins ARGUMENT...: starts the script in the background.
begins() {
  "${bare[@]}" "${shell[@]}" "$script" "$@" </dev/null >"$folder/stdout" 2>"$folder/stderr" &
  installation=$!
}

# is_ended_by SIGNAL CODE: sends the signal and checks the exit code.
is_ended_by() {
  kill "-$1" "$installation"
  status=0
  wait "$installation" || status=$?
  installation=
  check "SIG$1 exits with $2, not $status" is "$status" "$2"
}

test_interruption_of_a_stalled_download() { by_each stalled_downloads; }
stalled_downloads() {
  begins --from "$address/stall" --device cpu
  comes_to_be "$1: the download stalls" says log stalls
  is_ended_by TERM 143
  check "$1: no file is left" is_bare "$folder/home"
  comes_to_be "$1: the download ends" says log "connection closed"
}

test_interruption_of_unpacking() {
  machine Linux x86_64
  takes $cpu --device cpu
  contents "$folder/home/.local" >"$folder/before"
  # The folder is the last argument of tar.
  # shellcheck disable=SC2016 # The fake expands it.
  stand_in tar 'for word; do :; done; : >"$word/a part"; : >"$HOME/unpacks"; exec '"$(type -P sleep)"' 300'
  begins --from "$releases" --device cpu
  comes_to_be "unpacking starts" test -e "$folder/home/unpacks"
  is_ended_by HUP 129
  check "exactly the earlier installation is left" is "$(contents "$folder/home/.local")" "$(cat "$folder/before")"
}

test_leftovers_of_killed_runs_are_removed() {
  machine Linux x86_64
  local lib=$folder/home/.local/lib
  # No process has the first id; the second is that of this test.
  mkdir -p "$lib/.gpubench-work.999999999/tree" "$lib/.gpubench-work.$$"
  installs --from "$releases" --device cpu
  check "leftovers of a dead process are removed" test ! -e "$lib/.gpubench-work.999999999"
  check "the folder of a live process is kept" test -d "$lib/.gpubench-work.$$"
}

from_stdin() {
  "${bare[@]}" GPUBENCH_RELEASES="$releases" "${shell[@]}" -s -- --device cpu >"$folder/stdout" 2>"$folder/stderr"
}

test_a_truncated_script_runs_nothing() {
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
    echo "skipped: $name, which is missing"
    continue
  fi
  shell[0]=$(type -P "${shell[0]}")
  echo "in $name:"
  run_tests
done
