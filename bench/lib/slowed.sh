#!/bin/sh
# usage: slowed.sh RUN STOP COMMAND...: runs the command, and stops its process for STOP seconds after every RUN seconds.
run=$1
stop=$2
shift 2
exec 4<&0  # A worker reads its standard input, which a command in the background would lose.
"$@" <&4 4<&- &
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
