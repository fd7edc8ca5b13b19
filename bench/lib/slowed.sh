#!/bin/sh
# Slows down a command: stops its process for STOP seconds after every RUN seconds.
# usage: slowed.sh RUN STOP COMMAND...
run=$1
stop=$2
shift 2
exec 4<&0  # Keep stdin for the worker; background commands lose it.
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
