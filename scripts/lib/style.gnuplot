# What all charts share. Expects `canvas`, and `width` and `height` in pixels of the SVG.

large = ',12'
small = ',8'
if (canvas eq 'svg') {
  large = ',15'
  small = ',10'
  set terminal svg size width, height dynamic background rgb 'white' font 'DejaVu Sans,Helvetica,Arial,sans-serif,13'
}
if (canvas eq 'pngcairo') {
  set terminal pngcairo size 1.5 * width, 1.5 * height font 'Sans,10' fontscale 1.5 linewidth 1.5 pointscale 1.5
}
if (canvas eq 'png') {
  set terminal png size width, height
}
set output 'chart'
set encoding utf8
set datafile separator "\t"
set termoption noenhanced

# Told apart by people with any kind of colour vision (Okabe and Ito, without the yellow that white swallows).
colours_known = '#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #000000 #888888'
colour_of(n) = word(colours_known, 1 + (n - 1) % words(colours_known))
# A colour halfway to white; not every terminal draws transparent lines well.
halfway(colour, at) = int(255 + (0 + ('0x' . substr(colour, at, at + 1)))) / 2
pale(colour) = sprintf('#%02X%02X%02X', halfway(colour, 2), halfway(colour, 4), halfway(colour, 6))

set border 3 linecolor rgb '#444444'
set tics nomirror textcolor rgb '#222222'
set grid ytics linecolor rgb '#dddddd' linewidth 1 linetype 1
set key Left reverse spacing 1.15 textcolor rgb '#222222'

# The names in it come from result files: read as a string, never as a command.
set title system('cat title') font large
