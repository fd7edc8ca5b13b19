# shellcheck shell=bash
# Runs commands one at a time and appends what each gave to the journal.

work=
journal=

# Runs what the journal lacks, in the order of the comparison.
run_missing() {
  local place figure count word argv
  query 'missing | as_fields' -R -n -j "$journal" >"$work/missing"
  while field place && field figure && field count; do
    argv=()
    while ((count > 0)); do
      field word
      argv+=("$word")
      count=$((count - 1))
    done
    run "$place" "$figure" "${argv[@]}"
  done 3<"$work/missing"
}

# field NAME: the next of the fields, which end with a zero byte, into a variable.
field() { IFS= read -r -d '' -u 3 "$1"; }

# run PLACE FIGURE COMMAND...: a fresh process; its line in the journal says how it ended.
run() {
  local place=$1 figure=$2 status=0 started_at
  shift 2
  started_at=$(now)
  run_child timed "$@" || status=$?
  # shellcheck disable=SC2016
  measured "$figure" --argjson place "$place" --argjson status "$status" --arg started_at "$started_at" \
    --slurpfile comparison "$work/comparison.json" >"$work/run"
  head -n 1 "$work/run" >>"$journal"
  say "$(tail -n 1 "$work/run")"
}

# The words of a comparison are a program and its arguments: exec knows neither builtins nor functions of this shell.
timed() {
  local TIMEFORMAT=%3R
  # Without braces, bash times inside the subshell, which exec replaces.
  { time { (exec -- "$@") </dev/null >"$work/stdout" 2>"$work/stderr" 3<&-; }; } 2>"$work/wall"
}

# measured FIGURE [arguments of jq]: the run as a line of JSON and as a line to read.
measured() {
  local figure=$1 wall
  shift
  # The locale may have a comma for the point.
  wall=$(tail -n 1 "$work/wall" | tr , .)
  tail -c 4096 "$work/stderr" >"$work/last"
  query "def figure: ($figure
); run(\$ARGS.named; figure) | tojson, progress(\$comparison[0])" -n -r --rawfile text "$work/stdout" \
    --rawfile last "$work/last" --argjson wall "$wall" "$@"
}
