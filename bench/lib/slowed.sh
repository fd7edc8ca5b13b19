#!/bin/sh
# usage: slowed.sh RUN STOP COMMAND...: runs the command, and stops its process for STOP seconds after every RUN seconds.
run=$1
stop=$2
shift 2
"$@" &
child=$!
while sleep "$run" && kill -STOP "$child"; do
  sleep "$stop"
  kill -CONT "$child"
done >/dev/null 2>&1 &
beat=$!
wait "$child"
code=$?
kill "$beat" 2>/dev/null
exit "$code"
