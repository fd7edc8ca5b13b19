# Ranges of ratios on a logarithmic axis, the least to the greatest, with their means; the figures stand to the right.
# `ranges` has a block a device, its name as first row; `names` has the models and where they stand.
# Expects what summary.awk puts into `variables`.

set rmargin 40
set key bmargin left vertical maxrows series + 3
set xlabel "speed ratio (epoch time of the baseline / epoch time)\n"
set logscale x
set xrange [low:high]
set yrange [bottom:0.8]
set xtics ()
do for [n in ticks] { set xtics add (sprintf('%g', n + 0) n + 0) }
set ytics scale 0
unset grid
set grid xtics linecolor rgb '#dddddd' linewidth 1 linetype 1
set arrow from first 1, graph 0 to first 1, graph 1 nohead linecolor rgb '#444444' linewidth 1.5 back

heading(n) = word('ratios avg min max geom.mean', n)
column_of(n) = 7 * n + (n == 5 ? 4 : 0)
do for [n = 1:5] { set label heading(n) at graph 1, graph 1 right offset column_of(n), 0.6 textcolor rgb '#222222' }

# Bars are pale, so that the means on them stay visible.
plot for [i = 1:series] 'ranges' index i - 1 using 3:1:($4 - $3):(0) with vectors nohead \
       linecolor rgb pale(colour_of(i)) linewidth 8 title columnheader(1), \
     for [i = 1:series] 'ranges' index i - 1 using 2:1 every ::1 with points \
       pointtype 4 pointsize 1.3 linewidth 2 linecolor rgb colour_of(i) notitle, \
     for [i = 1:series] 'ranges' index i - 1 using 5:1 every ::1 with points \
       pointtype 7 pointsize 0.9 linecolor rgb colour_of(i) notitle, \
     for [n = 1:5] for [i = 1:series] 'ranges' index i - 1 using (high):1:(strcol(5 + n)) every ::1 with labels \
       right offset column_of(n), 0 textcolor rgb colour_of(i) notitle, \
     'names' using (NaN):1:ytic(2) with points notitle, \
     NaN with lines linecolor rgb pale('#444444') linewidth 8 title 'least to greatest ratio', \
     NaN with points pointtype 4 pointsize 1.3 linewidth 2 linecolor rgb '#444444' title 'avg: arithmetic mean', \
     NaN with points pointtype 7 pointsize 0.9 linecolor rgb '#444444' title 'geom.mean: geometric mean'
