# Lines by something of many sizes, both axes logarithmic, or with `is_linear` the first alone. `lines` has a block a line, its name
# as first row; `xlabel` and `ylabel` say what the axes are. Expects what lines.awk puts into `variables`.

set rmargin at screen 620.0 / width
set key at screen 632.0 / width, graph 1 left top vertical maxrows words(colours)
set xlabel system('cat xlabel')
set ylabel system('cat ylabel')
set logscale x
if (!exists('is_linear')) { set logscale y }
set xrange [left / 1.2:right * 1.2]
set yrange [low:high]
set xtics ()
do for [n in steps] { set xtics add (n n + 0) }
set ytics ()
do for [n in ticks] { set ytics add (sprintf('%g', n + 0) n + 0) }

point_of(n) = word('7 5 9 13 11 6 4 8', 1 + (n - 1) % 8)
plot for [i = 1:words(colours)] 'lines' index i - 1 using 1:2 with linespoints title columnheader(1) \
  linecolor rgb colour_of(word(colours, i)) linewidth 2 \
  dashtype 0 + word(styles, i) pointtype 0 + point_of(word(styles, i))
