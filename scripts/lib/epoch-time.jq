# From cases to lines of epoch time by batch size.
include "results";
include "lines";

def chart: titled(true) | map(.x = .batch | .y = .seconds)
  | lines_chart("Training time of an epoch by batch size" + published_line; "batch size [samples]"; "median epoch [s]");
