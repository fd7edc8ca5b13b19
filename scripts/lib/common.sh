# shellcheck shell=bash
# What every script here needs. The bash of macOS is 3.2, so newer features stay out of this folder.

set -euo pipefail

# Standard output belongs to gpubench, which may be writing a table or a document to a pipe.
say() { printf 'gpubench: %s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 1
}

# A mistake of the caller: one line with the remedy.
refuse() {
  say "$*"
  exit 2
}

have() { command -v "$1" >/dev/null 2>&1; }

is_mac() { [[ $(uname -s) == Darwin ]]; }

# A translated shell builds for Intel, and finds the Homebrew and the LibTorch of Intel, if any.
refuse_rosetta() {
  is_mac && [[ $(sysctl -n sysctl.proc_translated 2>/dev/null) == 1 ]] || return 0
  fail "this shell runs under Rosetta, as on an Intel Mac; open one of this Mac's own, for example by: arch -arm64 /bin/zsh"
}

# Runs a command in the background and waits: bash answers a signal only between foreground commands, and set-up
# must clean up at once when it is interrupted. A process group of its own lets stop_child reach what it started.
child=
run_child() {
  local status=0
  set -m
  "$@" >&2 &
  set +m
  child=$!
  wait "$child" || status=$?
  child=
  return "$status"
}

stop_child() {
  [[ -n $child ]] || return 0
  { kill -KILL -- "-$child" && wait "$child"; } 2>/dev/null || true
  child=
}

core_count() {
  if have nproc; then nproc; else sysctl -n hw.ncpu; fi
}

memory_bytes() {
  if is_mac; then
    sysctl -n hw.memsize
    return
  fi
  local total limit=max
  total=$(awk '/^MemTotal:/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)
  [[ ! -r /sys/fs/cgroup/memory.max ]] || limit=$(</sys/fs/cgroup/memory.max)
  if [[ $limit != max && $limit -lt $total ]]; then total=$limit; fi
  printf '%s\n' "$total"
}

# A source file that includes LibTorch can take more than 1 GiB to compile.
job_count() {
  local cores jobs
  cores=$(core_count)
  jobs=$(($(memory_bytes) / (2 << 30)))
  if ((jobs > cores)); then jobs=$cores; fi
  if ((jobs < 1)); then jobs=1; fi
  printf '%s\n' "$jobs"
}

# Sets `gpubench` to the program that scripts call.
# shellcheck disable=SC2034  # They use it.
find_gpubench() {
  local candidate
  for candidate in "${GPUBENCH:-}" "$(dirname "${BASH_SOURCE[0]}")/../../build/release/gpubench" gpubench; do
    gpubench=$(command -v -- "$candidate") && return
    [[ -z ${GPUBENCH:-} ]] || refuse "GPUBENCH=$GPUBENCH: is no program; name gpubench's, or unset it"
  done
  refuse "gpubench is not built; run: scripts/run.sh --version"
}
