# From pairs with their ratios to the files of ratio-bars.gnuplot.
include "results";
include "ratios";

# The models in the order of the files, with the batch sizes of each.
def groups: . as $ratios | sort_by(.order) | map({title, parts}) | distinct
  | map(. as $group | .batches = ($ratios | map(select(.title == $group.title) | .batch) | unique));

# A place for each model and batch size, in rows of about `$longest`. Groups stand apart, and are as wide as their name
# needs it; `$pixels` has the axis for 1.
def places($pixels; $longest): reduce groups[] as $group ({row: 0, edge: 0, right: 0, places: []};
    ($group.batches | length) as $count
    | ([$count, ($group.parts | map(length) | max) * 7.5 / $pixels] | max) as $span
    | if .edge > 0 and .edge + $span > $longest then .row += 1 | .edge = 0 else . end
    | .row as $row | .edge as $edge
    | .places += [$group.batches | to_entries[] | {$row, title: $group.title, parts: $group.parts, batch: .value,
                                                   x: ($edge + ($span - $count + 1) / 2 + .key)}]
    | .right = ([.right, $edge + $span + 0.2] | max) | .edge += $span + 0.7);

# Batch sizes, and below the middle of them their model.
def tick_rows:
  group_by(.title)[] | (map(.x) | (min + max) / 2) as $middle | (.[0].parts | join("\\n")) as $name
  | (map({x, text: "\(.batch)"}) + [{x: $middle, text: ""}] | group_by(.x)[]
     | "\(.[0].x)\t\(map(.text) | add)\(if .[0].x == $middle then "\\n\($name)" else "" end)");

def tick_blocks: group_by(.row)[] | tick_rows, "", "";

def bar_rows($places; $shift):
  .[] | . as $bar | $places[] | select(.title == $bar.title and .batch == $bar.batch)
  | "\(.x + $shift)\t\($bar.ratio)\t\($bar.ratio | short)";

# The bars of a series in a row. Its name stands in all rows, for the legend.
def block($places; $shift):
  "\(.label): \(.ratios | map(.ratio) | geometric_mean | short) (geometric mean of \(.ratios | length))",
  (.ratios | bar_rows($places; $shift)), "", "";

# Blocks row by row, and in a row series by series.
def blocks($places; $width): . as $series | $places | group_by(.row)[] | . as $row
  | $series | length as $count | to_entries[] | .key as $index | .value
  | block($row; $width * ($index - ($count - 1) / 2));

# Where there are many bars side by side they become narrow, and their figures stand upright.
def many_bars: length > 1 and length * ([.[].ratios[]] | groups | map(.batches | length) | add) > 32;

# The chart of pairs that have ratios.
def bars($title; $quantity):
  [.[].ratios[]] as $all | length as $count | many_bars as $many | (0.85 / $count) as $width
  | ([42, $count * if $many then 17 else 34 end] | max) as $pixels
  | ($all | places($pixels; 1700 / $pixels)) as $axis
  | ($all | map(.ratio) + [1] | log_limits(min; max; if $many then 0.16 else 0.1 end; 0.16)) as [$low, $high]
  | ($title + ([.[] | .base_cases[], .cases[]] | published_line)) as $heading
  | {
      title: $heading,
      quantity: $quantity,
      ticks: ([$axis.places | tick_blocks] | join("\n")),
      bars: ([blocks($axis.places; $width)] | join("\n")),
      variables: [
        "width = \([900, 120 + $pixels * $axis.right] | max | ceil); series = \($count); rows = \($axis.row + 1)",
        "lines_of_names = \($axis.places | map(.parts | length) | max); right = \($axis.right)",
        "bar_width = \($width); upright = \(if $many then 1 else 0 end); low = \($low); high = \($high)",
        "legend_rows = \(if $count > 6 then $count / 2 | ceil else $count end)",
        "heading_height = \(30 + 22 * ($heading | split("\n") | length)); row_height = 400 + 18 * lines_of_names",
        "height = heading_height + rows * row_height + 30 + 22 * legend_rows",
        words_of("ticks"; log_ticks($low; $high))
      ] | join("\n")
    };
