# shellcheck shell=bash
# What the plot scripts share: arguments, reading of result files, drawing. The script that sources this defines
# `usage` and calls `plot`. Names from result files reach gnuplot as data, never as a part of a command.

# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

library=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
gpubench=
work=
output=
canvas=
inputs=()
# Set by the script: the .gnuplot file that draws, the .awk files that lay out, the figure that these are about where several
# could be, and whether the chart can be had as a table too. Then `listing` is the one that was asked for.
layout=
layers=
wanted=
listings=
listing=
# Whose figures: of runs, or of operations.
kind=runs

# plot CHART [arguments of the script]: the whole of it. CHART.svg is the output where none is named.
plot() {
  output=$1.svg
  shift
  parse_arguments "$@"
  find_gpubench
  [[ -n $listing ]] || check_output
  work=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-plot.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  read_figures
  lay_out
  if [[ -n $listing ]]; then cat "$work/$listing"; else draw; fi
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
  local folder install="apt-get install gnuplot-nox"
  ! is_mac || install="brew install gnuplot"
  have gnuplot || refuse "gnuplot is not installed; run: $install"
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

# Has gpubench put all figures of the inputs into $work/figures, a row each; what it refuses ends the script likewise.
read_figures() {
  "$gpubench" compare --figures "$kind" --format tsv "${inputs[@]}" >"$work/figures" || exit "$?"
}

# Has the layers make the files that lib/LAYOUT.gnuplot draws, or a `refusal`. Text of inputs is bytes to awk.
lay_out() {
  local layer line sources=(-f "$library/plot.awk")
  for layer in $layers; do sources+=(-f "$library/$layer.awk"); done
  (cd "$work" && LC_ALL=C awk -F '\t' -v wanted="$wanted" "${sources[@]}" figures)
  [[ ! -e $work/refusal ]] || refuse "$(<"$work/refusal")"
  [[ ! -e $work/notes ]] || while IFS= read -r line; do say "$line"; done <"$work/notes"
}

draw() {
  (cd "$work" && gnuplot -e "canvas='$canvas'" variables "$library/style.gnuplot" "$library/$layout.gnuplot" 2>gnuplot.log) ||
    fail "$output: gnuplot failed: $(sed '/^ *$/d' "$work/gnuplot.log" | tail -n 1); please report it"
  mv -f -- "$work/chart" "$output" 2>/dev/null || refuse "$output: cannot be written; name another file with -o"
  printf '%s\n' "$output"
}
