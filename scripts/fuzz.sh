#!/usr/bin/env bash
# Fuzzes the readers of external input with the address and undefined-behaviour sanitizers. Prints a
# table and keeps new inputs in build/fuzz/found. Exits with 1 if it finds a fault.
# usage: scripts/fuzz.sh [--time SECONDS] [--jobs N] [--replay] [--coverage] [TARGET...]
#
#   --time SECONDS  Time per target (default 60)
#   --jobs N        Number of targets that run at the same time (default 1)
#   --replay        Only replay the inputs of tests/fuzz/corpus
#   --coverage      Replay all known inputs and list the covered edges of each source file
#   TARGET          Name of a file in tests/fuzz/targets (default: all)
#
# CXX is the compiler (default clang++).

set -euo pipefail
# shellcheck source=scripts/lib/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/build.sh"

build_folder=$root/build/fuzz
export CXX=${CXX:-clang++}
export build_folder root
export seconds=60 task=fuzz
jobs=1
targets=()

usage() {
  say "$*; see scripts/fuzz.sh --help"
  exit 2
}

while (($# > 0)); do
  case $1 in
    --time | --jobs)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || usage "$1 ${2:-}: not a positive whole number"
      case $1 in
        --time) seconds=$2 ;;
        --jobs) jobs=$2 ;;
      esac
      shift
      ;;
    --replay) task=replay ;;
    --coverage) task=coverage ;;
    -h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" && exit ;;
    -*) usage "$1: unknown option" ;;
    *) targets+=("$1") ;;
  esac
  shift
done

known_targets() {
  local file
  for file in "$root"/tests/fuzz/targets/*.cpp; do basename "$file" .cpp; done
}

check_targets() {
  local target
  for target in ${targets[@]+"${targets[@]}"}; do
    [[ -f $root/tests/fuzz/targets/$target.cpp ]] || usage "$target: unknown target; known are $(known_targets | tr '\n' ' ')"
  done
  # shellcheck disable=SC2207  # Names without blanks.
  ((${#targets[@]})) || targets=($(known_targets))
}

prepare_fuzzing() {
  use_fetched_cmake
  require_packages fuzz
  require_libfuzzer
  [[ -f $build_folder/build.ninja ]] && return
  require_cmake
  configure_as fuzz fuzz "-DCMAKE_CXX_COMPILER=$CXX"
}

# Fails if the compiler has no libFuzzer, like GCC and Apple's Clang.
require_libfuzzer() {
  local scratch status=0
  scratch=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-fuzz.XXXXXX")
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' >"$scratch/a.cpp"
  "$CXX" -fsanitize=fuzzer,address,undefined "$scratch/a.cpp" -o "$scratch/a" >&2 || status=$?
  rm -rf "$scratch"
  ((status == 0)) || fail "CXX=$CXX cannot link libFuzzer; set CXX to a clang++ of LLVM with its compiler-rt"
}

# run_target NAME: prints one line at the end only, because several targets run at once.
run_target() {
  local name=$1 place=$build_folder/found/$1 log=$build_folder/logs/$1.log status=0 options inputs
  mkdir -p "$place" "$build_folder/findings" "$build_folder/logs"
  options=(-timeout=30 -rss_limit_mb=2560 -malloc_limit_mb=512 -len_control=0 -max_len=65536 -print_final_stats=1
    -close_fd_mask=1 "-artifact_prefix=$build_folder/findings/$name-")
  inputs=("$place" "$root/tests/fuzz/corpus/$name")
  case $task in
    fuzz) options+=("-max_total_time=$seconds") ;;
    replay) options+=(-runs=0) inputs=("$root/tests/fuzz/corpus/$name") ;;
    coverage) options+=(-runs=0 -print_coverage=1) ;;
  esac
  (
    # Prefer a folder in memory, because many targets read files.
    scratch=$(mktemp -d "$([[ -w /dev/shm ]] && echo /dev/shm || echo "${TMPDIR:-/tmp}")/gpubench-fuzz.XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    export TMPDIR=$scratch UBSAN_OPTIONS=print_stacktrace=1 XDG_CONFIG_HOME=$scratch XDG_CACHE_HOME=$scratch XDG_STATE_HOME=$scratch
    "$build_folder/tests/fuzz/fuzz_$name" "${options[@]}" "${inputs[@]}"
  ) >"$log" 2>&1 || status=$?
  # libFuzzer exits with 72 after an interrupt, which is not a finding.
  ((status == 0 || status == 72)) || echo "$status" >"$build_folder/logs/$name.failed"
  say "$(table_line "$name" | tr -s " ")"
}

# table_line NAME: prints the line of a target from its log.
table_line() {
  local findings=0
  [[ ! -e $build_folder/logs/$1.failed ]] || findings=1
  awk -v name="$1" -v findings="$findings" '
    / cov: / {
      for (i = 1; i < NF; ++i) {
        if ($i == "cov:") edges = $(i + 1)
        if ($i == "ft:") features = $(i + 1)
        if ($i == "corp:") corpus = $(i + 1)
      }
    }
    $1 == "stat::number_of_executed_units:" { runs = $2 }
    $1 == "stat::average_exec_per_sec:" { rate = $2 }
    END { printf "%-16s %12d %8d %8d %9d %16s %9d\n", name, runs, rate, edges, features, corpus, findings }
  ' "$build_folder/logs/$1.log"
}

report() {
  local target status=0
  printf '%-16s %12s %8s %8s %9s %16s %9s\n' target executions exec/s edges features corpus findings
  for target in "${targets[@]}"; do table_line "$target"; done
  for target in "${targets[@]}"; do
    [[ -e $build_folder/logs/$target.failed ]] || continue
    status=1
    report_finding "$target"
  done
  return "$status"
}

report_finding() {
  local log=$build_folder/logs/$1.log file
  file=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
  say "$1: $(grep -E -m 1 'check failed:|ERROR:|runtime error:|terminate called' "$log" || echo "exit code $(<"${log%.log}.failed")"); see $log"
  [[ -z $file ]] || say "to reproduce: $build_folder/tests/fuzz/fuzz_$1 $file"
}

# Lists the covered and all edges of each source file. Each function has its best coverage.
list_coverage() {
  local logs=() target
  for target in "${targets[@]}"; do logs+=("$build_folder/logs/$target.log"); done
  awk -v root="$root/" '
    # Source paths are relative to the build folder.
    { sub("build/fuzz/[.][.]/[.][.]/", "") }
    /^(UN)?COVERED_FUNC:/ && index($0, root) {
      split(substr($0, index($0, root) + length(root)), place, ":")
      if (place[1] !~ /^(src|include)\//) next
      reached = 0
      for (i = 1; i < NF; ++i) if ($i == "edges:") { split($(i + 1), edges, "/"); reached = edges[1]; all = edges[2] }
      if ($1 ~ /^UN/) reached = 0
      key = place[1] SUBSEP place[2]
      if (reached > most[key]) most[key] = reached
      if (all > total[key]) total[key] = all
      all = 0
    }
    END {
      for (key in total) { split(key, part, SUBSEP); sum[part[1]] += total[key]; got[part[1]] += most[key] }
      for (file in sum) printf "%5.1f %% %6d of %6d edges  %s\n", 100 * got[file] / sum[file], got[file], sum[file], file
    }' "${logs[@]}" | sort -k 7
}

check_targets
prepare_fuzzing
build_target gpubench_fuzz
for target in "${targets[@]}"; do rm -f "$build_folder/logs/$target.failed"; done
export -f run_target table_line say
printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I{} bash -c 'run_target {}'
if [[ $task == coverage ]]; then list_coverage; fi
report
