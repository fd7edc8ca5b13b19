# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154,SC2016  # The scripts set and use the variables; awk and gnuplot expand the texts.
# Shared by the plot scripts, which set `no_data`, `rows` and `draw` and call `plot CHART "$@"`.
# Names from result files reach gnuplot as data, never as a command.

# shellcheck source=scripts/lib/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

kind=runs    # Argument of `gpubench compare --values`.
order="cat"  # Command that sorts the rows of the table.

plot() {
  local inputs=() output=$1.svg terminal heading
  shift
  while (($#)); do
    case $1 in
      -h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" && exit ;;
      -o | --output)
        (($# > 1)) || refuse "$1: its value is missing; give a file, e.g. $1 $output"
        output=$2 && shift
        ;;
      -?*) refuse "$1: unknown option; see --help" ;;
      *) inputs+=("$1") ;;
    esac
    shift
  done
  ((${#inputs[@]})) || refuse "result files are missing; e.g. $(basename "$0") results/*.json"
  find_gpubench
  if [[ $output != - ]]; then check_output; fi
  work=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-plot.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  "$gpubench" compare --values "$kind" --format tsv "${inputs[@]}" >"$work/values" || exit
  LC_ALL=C awk -F '\t' "$functions $rows" "$work/values" >"$work/unsorted" || refuse "$no_data"
  { IFS= read -r heading && printf '%s\n' "$heading" && $order; } <"$work/unsorted" >"$work/table"
  if [[ $output == - ]]; then cat "$work/table"; else draw_chart; fi
}

# Sets terminal.
check_output() {
  have gnuplot || refuse "gnuplot is missing; install the package gnuplot-nox (Debian) or gnuplot"
  case $output in
    *.svg) terminal="svg size width, height dynamic background rgb 'white' font 'DejaVu Sans,Helvetica,Arial,sans-serif,13'" ;;
    *.png) terminal="pngcairo size 1.5 * width, 1.5 * height font 'Sans,10' fontscale 1.5 linewidth 1.5 pointscale 1.5" ;;
    *) refuse "$output: unknown format; give a .svg or .png file, or -o - for the table" ;;
  esac
  gnuplot -e "width = height = 100; set terminal $terminal" >/dev/null 2>&1 || refuse "$output: this gnuplot does not support PNG; use .svg"
  [[ -w $(dirname -- "$output") && ! -d $output ]] || refuse "$output: cannot be written; give another file with -o"
}

# awk: converts figures to a table of X and SERIES; `rows` calls point() or ratio().
functions='
  function cell(name) { return name in at ? $at[name] : "" }
  function subject() { return cell("model") (cell("variant") == "" ? "" : " (" cell("variant") ")") }
  function name_machine(key,  name) {
    name = cell("device") (cell("publication") != "" ? " (published)" : cell("host") == "" ? "" : " on " cell("host"))
    machines[key] = name in is_taken ? name " (" cell("file") ")" : name
    is_taken[name]
  }
  function point(series, x, value) {
    if (value == "") return
    if (!(series in is_known)) all_series[++series_count] = series
    if (!(x in has_row)) all_x[++x_count] = x
    is_known[series]; has_row[x]; values[series, x] = value
  }
  function ratio(series) {
    if (cell("scope") == "case") point(series, subject() ", batch " cell("batch_size"), cell("value"))
    if (cell("scope") == "all") suffix[series] = sprintf(": %.3g (geometric mean of %d)", cell("value"), cell("cases"))
  }
  { gsub(/["<>&`$\\{}]/, "_") }
  NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
  { key = cell("machine")
    if (!(key in machines)) name_machine(key)
    machine = machines[key] }
  cell("status") !~ /^(ok)?$/ && (cell("metric") == "median_epoch_seconds" || cell("metric") == "flops_per_second" && cell("op") == "matmul") {
    what = cell("op") == "" ? subject() ", batch " cell("batch_size") : cell("op") " " cell("sizes") " " cell("type")
    print "gpubench: " cell("file") ": " what " on " cell("device") " is omitted: " cell("status") ": " cell("status_message") >"/dev/stderr"
  }
  END {
    if (!x_count) exit 1
    printf "x"
    for (s = 1; s <= series_count; ++s) printf "\t%s", all_series[s] suffix[all_series[s]]
    for (row = 1; row <= x_count; ++row) {
      printf "\n%s", all_x[row]
      for (s = 1; s <= series_count; ++s) { at_row = all_series[s] SUBSEP all_x[row]; printf "\t%s", at_row in values ? values[at_row] : "?" }
    }
    print ""
  }'

# gnuplot: a logarithmic axis for values that differ much (its ticks would miss a narrow range), lines over a
# numeric axis, and bars of ratios up or down from 1.
ticks="do for [e = -9:12] { do for [m in '1 1.5 2 3 5 7'] { set ytics add (sprintf('%g', m * 10.0 ** e) m * 10.0 ** e) } }"
log_y="if (largest > 3 * smallest) { set logscale y; $ticks }"
lines="set logscale x; plot for [i = 2:columns] 'table' using 1:(factor * column(i)):xtic(1) with linespoints linewidth 2 pointtype 4 + i"
bars="set logscale y; $ticks; set yrange [*<0.8:1.25<*]; set xtics rotate by (rows > 4 ? -40 : 0)
  set arrow from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb '#444444' front
  wide = 0.8 / (columns - 1)
  left(i) = column(0) - 0.4 + wide * (i - 2)
  plot for [i = 2:columns] 'table' using (column(0)):i:(left(i)):(left(i) + wide):(column(i) < 1 ? column(i) : 1) \
      :(column(i) < 1 ? 1 : column(i)):xtic(1) with boxxyerror fillstyle solid, \
    for [i = 2:columns] '' using (left(i) + wide / 2):i:(sprintf('%.3g', column(i))) with labels offset 0, 0.6 font ',9' notitle"

draw_chart() {
  cat >"$work/chart.gnuplot" <<GNUPLOT
factor = 1
columns = 1 + $(head -n 1 "$work/table" | tr -dc '\t' | wc -c)
$(LC_ALL=C awk -F '\t' 'NR > 1 { for (i = 2; i <= NF; ++i) if ($i != "?") { if (!low || $i < low) low = $i; if ($i > high) high = $i } }
    END { print "smallest = " low + 0; print "largest = " high + 0 }' "$work/table")
rows = $(wc -l <"$work/table") - 1
width = 200 + 30 * rows * (columns - 1)
width = width < 900 ? 900 : width > 2400 ? 2400 : width
height = 520 + 22 * columns
set terminal $terminal noenhanced
set output 'chart'; set datafile separator "\\t" missing '?'
set linetype cycle 8
do for [i = 1:8] { set linetype i linecolor rgb word('#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #000000 #888888', i) }
set border 3 linecolor rgb '#444444'; set tics nomirror; set format y '%g'
set grid ytics linetype 1 linecolor rgb '#dddddd'
set key autotitle columnhead below left Left reverse vertical maxcols 1
set autoscale fix; set offsets graph 0.05, graph 0.05, graph 0.08, graph 0.05
$draw
GNUPLOT
  (cd "$work" && gnuplot chart.gnuplot 2>gnuplot.log) || fail "$output: gnuplot failed: $(tail -n 2 "$work/gnuplot.log"); please report it"
  mv -f -- "$work/chart" "$output" 2>/dev/null || refuse "$output: cannot be written; give another file with -o"
  printf '%s\n' "$output"
}
