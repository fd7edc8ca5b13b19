# From matrix products to lines of FLOP/s by size.
include "results";
include "lines";

# `.title` is the type and whatever else tells the products of one size apart.
def titled_by_type:
  ["direction", "cache"] as $modes
  | [$modes[] as $mode | select(map(.[$mode]) | unique | length > 1) | $mode] as $telling
  | map(.title = ([.type, .[$telling[]]] | join(", ")));

def chart: titled_by_type | map(.x = .side | .y = .flop / .seconds)
  | (if map(.y) | max >= 1e12 then {name: "TFLOP/s", size: 1e12} else {name: "GFLOP/s", size: 1e9} end) as $unit
  | map(.y /= $unit.size)
  | lines_chart("Square matrix products"; "rows and columns of each matrix"; "rate [\($unit.name)]");
