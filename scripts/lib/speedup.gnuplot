# Bars of speed ratios, up from 1 where faster and down where slower, on a logarithmic axis so that twice and half
# are equally far from 1. `bars` has a block a contender, its name as first row.
# Expects what speedup.jq puts into `variables`.

set key below left
set xlabel "\nbatch size [samples] and model"
set ylabel 'speed ratio (epoch time of the baseline / epoch time)'
set logscale y
set xrange [left:right]
set yrange [low:high]
set ytics ()
do for [n in ticks] { set ytics add (sprintf('%g', n + 0) n + 0) }
set xtics scale 0
set style fill solid 0.9 noborder
set arrow from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb '#444444' linewidth 1.5 front

lower(y) = y < 1 ? y : 1
upper(y) = y < 1 ? 1 : y
half = bar_width / 2
plot for [i = 1:series] 'bars' index i - 1 \
       using 1:2:($1 - half):($1 + half):(lower($2)):(upper($2)) with boxxyerror \
       title columnheader(1) linecolor rgb colour_of(i), \
     for [i = 1:series] 'bars' index i - 1 using 1:($2 < 1 ? NaN : $2):3 every ::1 with labels \
       offset 0, 0.6 font small textcolor rgb '#222222' notitle, \
     for [i = 1:series] 'bars' index i - 1 using 1:($2 < 1 ? $2 : NaN):3 every ::1 with labels \
       offset 0, -0.6 font small textcolor rgb '#222222' notitle, \
     'ticks' using 1:(NaN):xtic(2) notitle
