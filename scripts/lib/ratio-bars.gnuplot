# Bars of ratios, up from 1 and down from it, on a logarithmic axis so that twice and half are equally far from 1,
# in as many rows as they need. `bars` has a block for each series in each row, its name as first line, and `ticks` one
# for each row; `quantity` says what the ratio is. Expects what ratio-bars.awk puts into `variables`.

set ylabel system('cat quantity')
set logscale y
set xrange [-0.2:right]
set yrange [low:high]
set ytics ()
do for [n in ticks] { set ytics add (sprintf('%g', n + 0) n + 0) }
set xtics scale 0
set arrow from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb '#444444' linewidth 1.5 front
set lmargin at screen 90.0 / width
set rmargin at screen 1 - 25.0 / width

lower(y) = y < 1 ? y : 1
upper(y) = y < 1 ? 1 : y
half = bar_width / 2
# Once all colours are in use, further series are hatched.
pattern_of(i) = i > words(colours_known) ? 4 : 3
above = upright ? 'left rotate by 90 offset 0, 0.3' : 'center offset 0, 0.6'
below = upright ? 'right rotate by 90 offset 0, -0.3' : 'center offset 0, -0.6'

# A row starts `row_height` below the one before; its names stand below it, and the legend below all rows.
screen_y(pixels) = 1 - (pixels + 0.0) / height
top_of(row) = heading_height + row * row_height
below_names = ''
do for [n = 1:lines_of_names] { below_names = below_names . "\n" }
legend = sprintf('set key at screen 90.0 / width, screen 12.0 / height left bottom vertical maxrows %d', legend_rows)

set multiplot
do for [row = 0:rows - 1] {
  set tmargin at screen screen_y(top_of(row))
  set bmargin at screen screen_y(top_of(row) + 360)
  if (row == 1) { unset title }
  if (row < rows - 1) { unset key } else { @legend; set xlabel below_names . 'batch size [samples] and model' }
  plot for [i = 1:series] 'bars' index row * series + i - 1 \
         using 1:2:($1 - half):($1 + half):(lower($2)):(upper($2)) with boxxyerror \
         title columnheader(1) linecolor rgb colour_of(i) fillstyle pattern pattern_of(i), \
       for [i = 1:series] 'bars' index row * series + i - 1 using 1:($2 < 1 ? NaN : $2):3 every ::1 with labels \
         @above font small textcolor rgb '#222222' notitle, \
       for [i = 1:series] 'bars' index row * series + i - 1 using 1:($2 < 1 ? $2 : NaN):3 every ::1 with labels \
         @below font small textcolor rgb '#222222' notitle, \
       'ticks' index row using 1:(NaN):xtic(2) notitle
}
unset multiplot
