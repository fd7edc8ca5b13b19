#!/usr/bin/env bash
# Tests the commands in the documentation. Runs the blocks marked "shell" in a folder with the files
# that they name. Checks that the subcommands, options and scripts in blocks marked "sh" exist.
# usage: docs_test.sh GPUBENCH

# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"

gpubench=$1
pages=()
for page in "$root"/{README,CONTRIBUTING,results/README,bench/README}.md "$root"/docs/*.md "$root"/docs/research/*.md; do pages+=("${page#"$root/"}"); done

# commands_in KIND: prints "page:line<TAB>command" for each command in blocks of this kind; a
# backslash continues a command.
commands_in() {
  (cd "$root" && awk -v kind="$1" '
    FNR == 1 { inside = 0 }
    /^```/ {
      inside = !inside && (kind == "runnable" ? $0 == "```shell" : $0 == "```sh")
      next
    }
    !inside { next }
    command == "" { place = FILENAME ":" FNR }
    { command = command $0 }
    sub(/\\$/, " ", command) { next }
    command !~ /^ *(#|$)/ { print place "\t" command }
    { command = "" }' "${pages[@]}")
}

# find_words LINE: prints the options and plain words of a command line, up to a pipe or a comment.
find_words() { sed -E 's/(^| )#.*//; s/ (&&|\||>).*//; s/"[^"]*"//g' <<<"$1" | grep -oE '(^| )(--[a-z][a-z-]*|[a-z][a-z-]*)' || true; }

# check_options PLACE COMMAND: checks subcommands, which directly follow gpubench, and options,
# which belong to the last one.
check_options() {
  local place=$1 word known path=() is_path=yes
  for word in $(find_words " ${2#*gpubench }"); do
    if [[ $word != --* ]]; then
      [[ -n $is_path ]] || continue
      if "$gpubench" complete "${path[@]}" "" | grep -qx -- "$word"; then path+=("$word"); else is_path=; fi
      [[ ${#path[@]} -gt 0 ]] || check "$place: gpubench has the command $word" false
      continue
    fi
    is_path=
    known=$("$gpubench" complete "${path[@]}" --)
    check "$place: 'gpubench ${path[*]}' has the option $word" grep -qx -- "$word" <<<"$known"
  done
}

# check_script PLACE SCRIPT COMMAND: checks that the script exists and contains the options.
check_script() {
  local word
  check "$1: $2 exists" test -e "$root/$2"
  [[ $2 == *.sh || $2 == *.py ]] || return 0
  for word in $(find_words " ${3#*"$2"}"); do
    [[ $word != --* ]] || check "$1: $2 has the option $word" grep -q -e "$word" "$root/$2"
  done
}

test_commands_that_are_not_run_have_valid_names() {
  local place command script count=0
  : >"$folder/stderr"
  while IFS=$'\t' read -r place command; do
    command=${command/scripts\/run.sh /gpubench }
    for script in $(grep -oE '(^| )(scripts|bench)/[A-Za-z0-9_./-]+' <<<"$command" || true); do
      check_script "$place" "$script" "$command"
    done
    [[ $command =~ ^([A-Z_]+=(\"[^\"]*\"|[^ ]*)\ )*([a-z/]+/)?gpubench\  ]] || continue
    check_options "$place" "$command"
    count=$((count + 1))
  done < <(commands_in other)
  check "more than 20 commands are checked, not $count" test "$count" -gt 20
}

# Makes the files that the pages name: two small runs under several names, results of other
# commands, and a power log.
make_files() {
  local start train=(--model "mlp,cnn" --dataset synthetic --max-samples 256 --epochs 4 --meter none --device cpu --quiet)
  start=$(date +%s)
  "$gpubench" "${train[@]}" -o laptop.json
  "$gpubench" "${train[@]}" --precision fp32,bf16 -o workstation.json
  for name in desk after tuesday; do cp workstation.json $name.json; done
  for name in before monday run mine old; do cp laptop.json $name.json; done
  mkdir -p results
  cp laptop.json workstation.json results
  "$gpubench" peak --quick --device cpu --quiet -o results/peak-cpu.json
  "$gpubench" selftest --only synchronization --device cpu --quiet -o results/selftest-cpu.json
  "$gpubench" ops --sweep 64:128:*2 --device cpu --quiet -o sweep.json
  "$gpubench" --model mlp --dataset synthetic --max-samples 256 --epochs 4 --meter none --device cpu --threads 1 --world-size 1,2 --quiet -o scale.json
  { echo "timestamp,voltage,current,power_w"
    for ((t = start - 5; t <= $(date +%s) + 5; ++t)); do echo "$t,230.0,0.5,100.0"; done; } >power.csv
}

test_runnable_blocks_run() {
  local place command count=0
  mkdir -p "$folder/home" "$folder/bin" "$folder/pages"
  ln -s "$gpubench" "$folder/bin/gpubench"
  ln -s "$root/scripts" "$folder/pages/scripts"
  export HOME=$folder/home PATH=$folder/bin:$PATH GPUBENCH=$gpubench
  unset XDG_CACHE_HOME XDG_STATE_HOME
  (cd "$folder/pages" && make_files) >"$folder/stdout" 2>"$folder/stderr" || { check "the files for the pages are made" false; return; }
  while IFS=$'\t' read -r place command; do
    count=$((count + 1))
    (cd "$folder/pages" && bash -c "$command") >"$folder/stdout" 2>"$folder/stderr" </dev/null && continue
    check "$place runs: $command" false
  done < <(commands_in runnable)
  check "more than 10 commands run, not $count" test "$count" -gt 10
}

run_tests
