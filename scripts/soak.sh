#!/usr/bin/env bash
# Whether gpubench survives hours of trouble: short sweeps, one after the other, each disturbed in a way that chance takes (signals to
# its processes, want of memory, a full disk, a clock that jumps), and continued until they are whole. Linux alone.
# usage: scripts/soak.sh [--hours H] [--seed N] [--cases N]
#
#   --hours H   begins no sweep after so long; also 0.1 (default 12)
#   --seed N    chance takes the same ways again (default: another one each time, which is printed)
#   --cases N   of the one long sweep at the start, whose memory and descriptors are watched (default 600)
#
# After each sweep every case is there exactly once and well, the document is valid, and no process is left. Ends with 0 where all that
# held, 1 otherwise; what was found then is in a folder that is named. GPUBENCH is the program (default: what scripts/test.sh built).

set -euo pipefail
# shellcheck source=scripts/lib/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/build.sh"
# shellcheck source=scripts/lib/soak.sh
source "$root/scripts/lib/soak.sh"

hours=12
seed=$RANDOM
cases=600

usage() { fail "$*; see scripts/soak.sh --help"; }

while (($# > 0)); do
  case $1 in
    --hours | --seed | --cases)
      (($# > 1)) || usage "$1 needs a value"
      case $1 in
        --hours) hours=$2 ;;
        --seed) seed=$2 ;;
        --cases) cases=$2 ;;
      esac
      shift
      ;;
    -h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" && exit ;;
    *) usage "$1 is not known" ;;
  esac
  shift
done
[[ $hours =~ ^[0-9]+([.][0-9]+)?$ ]] || usage "--hours $hours is no number"
[[ $seed =~ ^[0-9]+$ ]] || usage "--seed $seed is no whole number"
[[ $cases =~ ^[0-9]+$ ]] || usage "--cases $cases is no whole number"
[[ -d /proc/self/fd ]] || fail "this watches processes in /proc, which only Linux has"
have jq || fail "jq is needed to look into results; install it"

program=${GPUBENCH:-$build_folder/gpubench}
injector=$build_folder/tests/libfault_injector.so
[[ -x $program ]] || fail "$program is not there; build it with scripts/test.sh, or name another one in GPUBENCH"

RANDOM=$seed
say "seed $seed, $hours hours"
open_workshop
end=$(($(date +%s) + $(awk -v hours="$hours" 'BEGIN { printf "%.0f", 3600 * hours }')))
((cases == 0)) || watch_long_sweep "$cases"
while (($(date +%s) < end)); do one_sweep; done
print_table
((failures == 0))
