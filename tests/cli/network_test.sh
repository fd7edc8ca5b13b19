#!/usr/bin/env bash
# usage: network_test.sh GPUBENCH STAND_IN_WORKER DELAY_LINK: ranks on three machines, which are network namespaces with
# a slow switch between them: what they measure, what the network costs them, and what becomes of a run when a cable is cut
# or a machine is lost.
#
# As root, and where GPUBENCH_TEST_NETWORK=1 asks for it. A step that takes other than what bytes and latency predict is told; with GPUBENCH_NETWORK_STRICT=1 it fails the
# test, which nothing that shares its cores with other work should ask for.

set -euo pipefail
export LC_ALL=C

skip() { echo "skipped: $1"; exit 77; }

[[ $# == 3 ]] || { echo "usage: $0 GPUBENCH STAND_IN_WORKER DELAY_LINK" >&2; exit 2; }
gpubench=$(realpath "$1")
stand_in_worker=$(realpath "$2")
delay_link=$(realpath "$3")

# All of it happens in namespaces of its own, also of processes and mounts: whatever ends their first process, the kernel ends
# all others, and the networks and files go with them. Nothing of it is seen outside.
if [[ ${GPUBENCH_NETWORK_TEST:-} != inside ]]; then
  [[ -n ${GPUBENCH_TEST_NETWORK:-} ]] || skip "takes two minutes; GPUBENCH_TEST_NETWORK=1 asks for it"
  [[ $(uname -s) == Linux ]] || skip "network namespaces are Linux's"
  [[ $EUID == 0 ]] || skip "root alone makes network namespaces"
  [[ -c /dev/net/tun ]] || skip "/dev/net/tun is not here"
  for tool in ip unshare jq; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
  done
  apart=(unshare --mount --net --pid --fork --kill-child --mount-proc)
  "${apart[@]}" true 2>/dev/null || skip "this system lets nobody make namespaces"
  GPUBENCH_NETWORK_TEST=inside "${apart[@]}" bash "${BASH_SOURCE[0]}" "$@" &
  inside=$!
  trap 'kill -KILL $inside; exit 130' INT TERM HUP
  status=0
  wait $inside || status=$?
  exit $status
fi
mount -t tmpfs tmpfs "$(realpath /var/run)"
export TMPDIR=/var/run

# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"
cd "$folder"
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$folder/cache} OMP_WAIT_POLICY=passive
: >stderr

machines=3
megabits=100
milliseconds=10  # From one machine to another: two cables.

# --- Machines.

make_machines() {
  local machine cables=()
  for ((machine = 0; machine < machines; ++machine)); do
    ip netns add "node-$machine" || skip "ip netns: makes no namespace"
    ip -n "node-$machine" link set lo up
    cables+=("node-$machine,10.77.0.$((machine + 1))/24,$megabits,$((milliseconds / 2))")
  done
  coproc LINK { exec "$delay_link" "${cables[@]}"; }
  link_says up
}

link_says() {
  local line=nothing
  read -r -t 10 -u "${LINK[0]}" line || true
  if is "$line" "$1"; then return; fi
  echo "not so: the switch says '$1', and not '$line'"
  exit 1
}

# cut_cable MACHINE, mend_cable MACHINE
cut_cable() { echo "cut node-$1" >&"${LINK[1]}" && link_says "cut node-$1"; }
mend_cable() { echo "mend node-$1" >&"${LINK[1]}" && link_says "mend node-$1"; }

# part MACHINE MACHINE, join_all: two machines that reach all others, but not each other.
part() { echo "part node-$1 node-$2" >&"${LINK[1]}" && link_says "part node-$1 node-$2"; }
join_all() { echo join >&"${LINK[1]}" && link_says join; }

# on MACHINE COMMAND...: there, where the host has that name.
on() {
  # shellcheck disable=SC2016  # It is the inner shell that expands.
  ip netns exec "node-$1" unshare --uts bash -c 'echo "$0" >/proc/sys/kernel/hostname; exec "$@"' "node-$1" "${@:2}"
}

# Of all machines, by their pids.
processes() {
  local machine
  for ((machine = 0; machine < machines; ++machine)); do ip netns pids "node-$machine"; done
}

now() { echo "${EPOCHREALTIME/./}"; }
seconds_since() { awk -v begin="$1" -v end="$(now)" 'BEGIN { printf "%.1f", (end - begin) / 1e6 }'; }
at_most() { awk -v value="$1" -v most="$2" 'BEGIN { exit !(value <= most) }'; }

# await SECONDS COMMAND...: until it succeeds; fails where that takes longer.
await() {
  local end=$(($(now) + $1 * 1000000))
  until "${@:2}"; do
    (($(now) < end)) || return 1
    sleep 0.05
  done
}

# --- Ranks.

# start ARGUMENT...: a rank on each machine, as a launcher starts them. Sets `ranks`, their pids.
start() {
  local rank
  ranks=()
  for ((rank = 0; rank < machines; ++rank)); do
    RANK=$rank WORLD_SIZE=$machines LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 MASTER_ADDR=10.77.0.1 MASTER_PORT=29500 \
      on "$rank" "$gpubench" "$@" >"stdout.$rank" 2>"stderr.$rank" &
    ranks+=($!)
  done
}

# end: sets `status` to the exit code of rank 0.
end() {
  status=0
  wait "${ranks[0]}" || status=$?
  wait "${ranks[@]:1}" || true
  tail -n +1 stderr.* >stderr
}

# holds FILTER: of the document.
holds() { jq -e "$1" run.json >/dev/null; }

# --- What the network costs.
#
# Gloo adds up in a ring (gloo/allreduce.cc). Each of n ranks has n chunks of the S bytes; in 2(n-1) turns, n-1 that add and n-1
# that hand the sums on, it gives a chunk to one neighbour and gets one from the other. A chunk goes in two halves, which take
# s = S/(2n)/B each, and up to 2n MiB there are no more than these. A half is sent when the receiver has said that it has room
# (Pair::recv and Pair::send in gloo/transport/tcp/pair.cc), which is when it has got the half in that place of the turn before: so
# each turn costs two ways through the network, 2d, beside the bytes, while the other half is on its way. The n-1 turns of each
# of the two phases thus take the longer of
#
#   2d + (n-1) 2s         the cable is always busy, once it has begun
#   (n-1) (2d + s) + s    every turn waits for its messages, and only the last half comes on top
#
# and both phases together the longer of 4d + 2(n-1)/n S/B and 4(n-1)d + S/B. The two are the same for two ranks; for three they
# cross at s = 2d, 1.4 MB here, with the networks on either side. With ways of 2, 4, 10 and 40 ms, both networks, two ranks
# and three, exchanges took 1.01 to 1.17 of that.
#
# A step is the exchange after the step of a rank alone on its share: small gradients share one bucket, which is sent when the
# last of them is there, so nothing is left of the backward pass to hide it.
#
# B is what is left of the cable when each 1448 bytes take 52 more for TCP and IP, 14 for Ethernet and 24 on the wire.

# predicted_exchange RANKS BYTES: in ms.
predicted_exchange() {
  awk -v n="$1" -v bytes="$2" -v d="$milliseconds" -v megabits="$megabits" 'BEGIN {
    all = bytes * 8 / (megabits * 1e3 * 1448 / 1538)
    busy = 4 * d + 2 * (n - 1) / n * all
    waiting = 4 * (n - 1) * d + all
    printf "%.3f", (busy > waiting ? busy : waiting)
  }'
}

training=(--dataset synthetic --meter none --threads 1 --quiet)

# Each machine trains by itself with what its share of a step will be, all at once, as they will: their cores are the same.
train_alone() {
  local machine all=()
  for ((machine = 0; machine < machines; ++machine)); do
    on "$machine" "$gpubench" "${training[@]}" --model mlp,cnn --limit 480 --batch 24,16 --epochs 4 -o "alone.$machine.json" \
      >"stdout.$machine" 2>"stderr.$machine" &
    all+=($!)
  done
  wait "${all[@]}"
}

# alone MODEL BATCH: the best step in ms, on the slowest machine, for which the others would wait.
alone() {
  jq -s --arg model "$1" --argjson batch "$2" '[.[].cases[] | select(.model == $model and .batch == $batch)
    | 1000 * .min_epoch_seconds / .steps_per_epoch] | max' alone.*.json
}

# Prints a line for each row. Fails where the best epoch of one is not within a fifth of what is predicted.
compare_steps() {
  local model n bytes measured
  printf '%-5s  %5s  %9s  %10s  %13s  %11s  %6s\n' model ranks bytes 'alone [ms]' 'exchange [ms]' 'step [ms]' ratio
  jq -r '.cases[] | [.model, .ranks, .gradient_per_step_bytes, 1000 * .min_epoch_seconds / .steps_per_epoch] | @tsv' run.json |
    while read -r model n bytes measured; do
      echo "$model $n $bytes $(alone "$model" $((48 / n))) $(predicted_exchange "$n" "$bytes") $measured"
    done |
    awk '{
      ratio = $6 / ($4 + $5)
      printf "%-5s  %5d  %9d  %10.1f  %13.1f  %11.1f  %6.2f\n", $1, $2, $3, $4, $5, $6, ratio
      if (ratio < 0.8 || ratio > 1.2) is_off = 1
    } END { exit is_off }'
}

test_machines_train_together_at_the_pace_of_their_network() {
  rm -f run.*
  train_alone
  start "${training[@]}" --model mlp,cnn --limit 480 --batch 48 --epochs 6 --ranks 2,3 -o run.json
  end
  check "ranks on machines end well, not with $status" is "$status" 0
  check "so do all rows" holds '[.cases[].status] == ["ok", "ok", "ok", "ok"]'
  check "the document is valid" "$gpubench" validate run.json >stdout 2>stderr
  check "it has the hosts" holds '[.environment.ranks[].host] == ["node-0", "node-1", "node-2"]'
  check "and their addresses in the network of rank 0" \
    holds '[.environment.ranks[].address] == ["10.77.0.1", "10.77.0.2", "10.77.0.3"]'
  check "and what the network is" holds "all(.environment.ranks[]; .link == \"Ethernet, $megabits Mbit/s\")"
  check "most of a step is exchange" holds 'all(.cases[]; .communication_share > 0.5)'
  if compare_steps; then return; fi
  echo "note: steps are to be within a fifth of what bytes and latency predict"
  check "they are" is "${GPUBENCH_NETWORK_STRICT:-0}" 0
}

# --- Faults.

has_started() { [[ $(grep -c '"event":"started"' run.journal.jsonl 2>/dev/null) -ge $1 ]]; }
has_ended() { ! kill -0 "${ranks[0]}" 2>/dev/null; }
nobody_is_left() { [[ -z $(processes) ]]; }

lose_machine() {
  cut_cable "$1"
  ip netns pids "node-$1" | xargs kill -KILL
}

# break_by FAULT RANK: in the second of six cases of a second each; then all is mended, and the run resumed.
break_by() {
  local fault=$1 rank=$2 begin took
  rm -f run.*
  export GPUBENCH_WORKER_PREFIX="$stand_in_worker --epoch-ms 200"
  start --model mlp,cnn --dataset synthetic --device cpu --batch 16,32,64 --limit 4 --epochs 5 --meter none --quiet -o run.json
  check "the second case begins" await 60 has_started 2
  sleep 0.3
  begin=$(now)
  "$fault" "$rank"
  check "after $fault $rank rank 0 ends" await 60 has_ended
  took=$(seconds_since "$begin")
  echo "$fault $rank: rank 0 ended after $took s"
  check "in half a minute" at_most "$took" 30
  check "nobody is left on any machine" await 30 nobody_is_left
  echo "$fault $rank: nobody was left after $(seconds_since "$begin") s"
  processes | xargs -r kill -KILL
  end
  check "a case has failed, says exit code $status" is "$status" 5
  check "the one that was disturbed" holds '[.cases[].status != "ok"] == [false, true, true, true, true, true]'
  check "it names the rank and its host" holds ".cases[1].status_message | startswith(\"rank $rank (node-$rank): \")"
  check "so do those that were not tried" holds "all(.cases[2:][]; .status_message | startswith(\"rank $rank (node-$rank): \"))"
  jq -r '.cases[1:3][] | "  \(.status): \(.status_message)"' run.json
  mend_cable "$rank"
  start --resume run.json
  end
  check "it can be resumed, and not with $status" is "$status" 0
  check "then it is whole" holds '[.cases[].status] == ["ok", "ok", "ok", "ok", "ok", "ok"]'
  unset GPUBENCH_WORKER_PREFIX
}

# The address is nobody's, and whatever goes there is lost without an answer, as behind most firewalls.
test_a_rank_out_of_reach_says_so_when_its_time_is_up() {
  local begin took
  ip -n node-1 neigh replace 10.77.0.9 lladdr 02:00:00:00:00:09 dev cable0
  begin=$(now)
  status=0
  RANK=1 WORLD_SIZE=2 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 MASTER_ADDR=10.77.0.9 MASTER_PORT=29500 \
    on 1 timeout 30 "$gpubench" "${training[@]}" --model mlp --join 3s >stdout 2>stderr || status=$?
  took=$(seconds_since "$begin")
  echo "--join 3s: rank 1 ended after $took s"
  check "a rank that reaches nobody ends with 2, not $status" is "$status" 2
  check "it says where it looked" says stderr "rank 0 at 10.77.0.9 port 29500: "
  check "soon after the time that it was given" at_most "$took" 10
}

# Supervisors notice nothing, since each of them reaches rank 0.
test_two_ranks_that_lose_each_other_alone_are_named() {
  local begin took
  rm -f run.*
  start "${training[@]}" --model mlp --limit 480 --batch 48 --epochs 1000 -o run.json
  check "the case begins" await 60 has_started 1
  sleep 5
  begin=$(now)
  part 1 2
  check "rank 0 ends when two others lose each other" await 90 has_ended
  took=$(seconds_since "$begin")
  echo "part 1 2: rank 0 ended after $took s"
  check "in a minute" at_most "$took" 60
  end
  jq -r '.cases[] | "  \(.status): \(.status_message)"' run.json
  check "the case has failed" holds '[.cases[].status] == ["error"]'
  check "it names one of them, and whom it lost" holds '.cases[0].status_message
    | test("rank 1 .*an exchange with other ranks failed.*rank 2 \\(node-2\\)|rank 2 .*an exchange with other ranks failed.*rank 1 \\(node-1\\)")'
  check "nobody is left on any machine" await 30 nobody_is_left
  processes | xargs -r kill -KILL
  join_all
}

test_a_cut_cable_is_named_and_the_run_can_be_resumed() { break_by cut_cable 1; }
test_a_lost_machine_is_named_and_the_run_can_be_resumed() { break_by lose_machine 2; }

make_machines
run_tests
