# shellcheck shell=bash
# Shared by all scripts. This folder must run in bash 3.2 (macOS).

set -euo pipefail

# Prints to stderr, because stdout belongs to gpubench.
say() { printf 'gpubench: %s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 1
}

# Ends the script because of wrong usage.
refuse() {
  say "$*"
  exit 2
}

have() { command -v "$1" >/dev/null 2>&1; }

is_mac() { [[ $(uname -s) == Darwin ]]; }

# Fails in a translated shell, which would build for Intel.
refuse_rosetta() {
  is_mac && [[ $(sysctl -n sysctl.proc_translated 2>/dev/null) == 1 ]] || return 0
  fail "this shell runs under Rosetta; open a native shell: arch -arm64 /bin/zsh"
}

# Runs a command in the background and waits. Bash handles signals only between foreground commands,
# but set-up must clean up at once. The command has its own process group, so that stop_child also
# ends its children.
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

# Sets `gpubench` to the path of the program.
# shellcheck disable=SC2034  # Scripts use it.
find_gpubench() {
  local candidate
  for candidate in "${GPUBENCH:-}" "$(dirname "${BASH_SOURCE[0]}")/../../build/release/gpubench" gpubench; do
    gpubench=$(command -v -- "$candidate") && return
    [[ -z ${GPUBENCH:-} ]] || refuse "GPUBENCH=$GPUBENCH: not a program; give the path of gpubench, or unset it"
  done
  refuse "gpubench is not built; run: scripts/run.sh --version"
}
