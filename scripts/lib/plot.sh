# shellcheck shell=bash
# What the plot scripts share: arguments, reading of result files, drawing. The script that sources this defines
# `usage` and calls `plot`. Names from result files reach gnuplot as data, never as a part of a command.

# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

library=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=
output=
canvas=
inputs=()
# Set by a script whose chart can be had as a table too; then `listing` is the one that was asked for.
listings=
listing=

# What is read: results of runs, or what inputs_are says.
includes='include "results";'
wanted="the result of a run"
versions="versions 1 to 3"
source_of="one that gpubench -o wrote"

# inputs_are operations WHERE_FROM: documents of operations instead.
inputs_are() {
  includes="include \"$1\";"
  wanted="a sweep of matrix products"
  versions="versions 1 and 2"
  source_of=$2
}

# A mistake of the caller: one line with the remedy.
refuse() {
  say "$*"
  exit 2
}

# plot CHART [arguments of the script]: the whole of it. CHART.svg is the output where none is named.
plot() {
  local chart=$1
  shift
  output=$chart.svg
  parse_arguments "$@"
  require_tools
  [[ -n $listing ]] || check_output
  open_work
  read_results
  compute "$chart"
  if [[ -n $listing ]]; then print_listing; else draw; fi
}

require_tools() {
  local tool tools=(jq)
  [[ -n $listing ]] || tools+=(gnuplot)
  for tool in "${tools[@]}"; do
    have "$tool" || refuse "$tool is not installed; run: $(install_line "$tool")"
  done
}

install_line() {
  local package=$1
  if is_mac; then
    echo "brew install $package"
  elif [[ $package == gnuplot ]]; then
    echo "apt-get install gnuplot-nox"
  else
    echo "apt-get install $package"
  fi
}

# Sets `inputs`, `output` and `listing`.
parse_arguments() {
  while (($# > 0)); do
    case $1 in
      -h | --help) usage; exit 0 ;;
      -o | --output)
        (($# > 1)) || refuse "$1 needs a file name; e.g. $1 $output"
        output=$2
        if [[ -n $listings && $output == - ]]; then listing=tsv; fi
        shift
        ;;
      --table)
        [[ -n $listings ]] || refuse "unknown option '$1'; see --help"
        listing=table
        ;;
      -?*) refuse "unknown option '$1'; see --help" ;;
      *) inputs+=("$1") ;;
    esac
    shift
  done
  ((${#inputs[@]} > 0)) || refuse "no result file is named; e.g. $(basename "$0") results/*.json"
}

check_output() {
  local folder
  choose_canvas
  folder=$(dirname -- "$output")
  [[ -d $folder && -w $folder && ! -d $output ]] || refuse "$output: cannot be written; name another file with -o"
}

# Sets `canvas` to gnuplot's name for the format. Not every gnuplot can draw PNG, and only cairo draws it well.
choose_canvas() {
  case $output in
    *.svg) canvas=svg && return ;;
    *.png) ;;
    *) refuse "$output: the ending says what to draw; use .svg or .png" ;;
  esac
  for canvas in pngcairo png; do
    ! gnuplot -e "set terminal $canvas" >/dev/null 2>&1 || return 0
  done
  refuse "$output: this gnuplot cannot draw PNG; use the ending .svg"
}

open_work() {
  work=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-plot.XXXXXX")
  trap 'rm -rf "$work"' EXIT
}

# jq with the definitions of what is read.
query() {
  local program=$1
  shift
  jq -L "$library" "$includes $program" "$@"
}

# Puts the cases of all inputs into $work/cases.json, numbered by their file, and names those that failed.
read_results() {
  local file number=0
  for file in "${inputs[@]}"; do
    number=$((number + 1))
    read_result "$file" "$number"
  done
  compgen -G "$work/cases.[0-9]*" >/dev/null || refuse "no file is $wanted; name $source_of"
  query 'map(select(.seconds)) | sort_by(.number) | to_entries | map(.value + {order: .key}) | without_repeats' -s "$work"/cases.[0-9]* >"$work/cases.json"
}

read_result() {
  local file=$1 cases="$work/cases.$2"
  [[ -e $file ]] || refuse "$file: no such file; name a result file of gpubench"
  cat -- "$file" >"$work/input" 2>/dev/null || refuse "$file: cannot be read; name a result file of gpubench"
  check_result "$file" || return 0
  # shellcheck disable=SC2016
  query 'cases($file; $number)' --arg file "$file" --argjson number "$2" "$work/input" >"$cases"
  query 'select(.seconds | not) | failure' -r "$cases" | while IFS= read -r line; do say "$line"; done
  [[ $(query 'any(.seconds)' -s "$cases") == true ]] ||
    refuse "$file: no case ended well; leave the file out, or run its cases again"
}

# False, having said why.
leave_out() {
  say "$1 is left out: it is $2, not $wanted"
  return 1
}

# False for a file to pass over: all kinds of documents lie beside each other.
check_result() {
  local verdict
  jq . "$work/input" >/dev/null 2>&1 || refuse "$1: not JSON; name a result file of gpubench"
  verdict=$(query verdict -rs "$work/input")
  case $verdict in
    result) ;;
    peak) leave_out "$1" "a peak of the machine" ;;
    operations | table) leave_out "$1" "a table of operations" ;;
    run) leave_out "$1" "the result of a run" ;;
    version*) refuse "$1: has schema $verdict, this script reads $versions; use the script of the gpubench that wrote it" ;;
    *) refuse "$1: JSON, but no gpubench result; name a file that gpubench -o wrote" ;;
  esac
}

# Has lib/CHART.jq make $work/chart.json of the cases: {refusal}, or {notes, layout, files, listings}.
compute() {
  local refusal note
  query "include \"$1\"; chart" "$work/cases.json" >"$work/chart.json"
  refusal=$(jq -r '.refusal // empty' "$work/chart.json")
  [[ -z $refusal ]] || refuse "$refusal"
  jq -r '.notes[]?' "$work/chart.json" | while IFS= read -r note; do say "$note"; done
}

# Prints the table that `compute` has left.
print_listing() {
  jq -r --arg listing "$listing" '.listings[$listing]' "$work/chart.json"
}

# Draws what `compute` has left; lib/LAYOUT.gnuplot says how.
draw() {
  local layout file
  layout=$(jq -r .layout "$work/chart.json")
  for file in $(jq -r '.files | keys[]' "$work/chart.json"); do
    jq -r --arg file "$file" '.files[$file]' "$work/chart.json" >"$work/$file"
  done
  (cd "$work" && gnuplot -e "canvas='$canvas'" variables "$library/style.gnuplot" "$library/$layout.gnuplot" 2>gnuplot.log) ||
    refuse "$output: gnuplot failed: $(sed '/^ *$/d' "$work/gnuplot.log" | tail -n 1); please report it"
  mv -f -- "$work/chart" "$output" 2>/dev/null || refuse "$output: cannot be written; name another file with -o"
  printf '%s\n' "$output"
}
