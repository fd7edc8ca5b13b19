# From cases to a table of ratios to the first contender, averaged for each model and over all of them.
include "results";
include "ratios";

def statistics: {count: length, avg: arithmetic_mean, min: min, max: max, geometric_mean: geometric_mean};

# A row for each model in the order of the files, and one over all models.
def rows: (map(.ratios[]) | sort_by(.order) | map(.title) | distinct) as $titles
  | [.[] | .label as $device | .ratios as $all
     | ($titles | to_entries[] | .key as $group | .value as $model
        | $all | map(select(.title == $model) | .ratio) | select(. != []) | {$device, $model, $group} + statistics),
       {$device, model: "overall", group: ($titles | length)} + ($all | map(.ratio) | statistics)];

def formulas:
  "ratio: epoch time of the baseline / epoch time of the device, medians; above 1 the device is faster",
  "avg: arithmetic mean of the ratios of a model over its batch sizes; geometric mean: n-th root of their product",
  "overall: the same over the ratios of all models and batch sizes";

def columns: ["device", "model", "count", "avg", "min", "max", "geometric_mean"];

def tsv: (columns | join("\t")), (.[] | [.[columns[]]] | map(tostring) | join("\t"));

def padded($width): . + ([range(length; $width)] | map(" ") | join(""));
def aligned($width): ([range(length; $width)] | map(" ") | join("")) + .;

# Words to the left, numbers to the right of their columns.
def aligned_lines: (transpose | map(map(length) | max)) as $widths
  | .[] | to_entries
  | map($widths[.key] as $width | .key as $key | .value | if $key < 2 then padded($width) else aligned($width) end)
  | join("  ");

# Three digits, so that points stand below each other.
def figure: short | if test("^[0-9]$") then . + ".00" elif test("^[0-9][.][0-9]$") then . + "0"
  elif test("^[0-9]{2}$") then . + ".0" else . end;

def cells: [columns | map(gsub("_"; " "))] + map([.device, .model, "\(.count)", (.avg, .min, .max, .geometric_mean | figure)]);

def text($title): $title, "", (cells | aligned_lines), "", formulas;

# Models from top to bottom, and under each a line for each device.
def lines: (map(.device) | distinct) as $devices
  | map(.series = 1 + (.device as $device | $devices | index([$device]))
        | .y = -(.group * ($devices | length + 0.8) + .series - 1));

def line: [.y, .avg, .min, .max, .geometric_mean, .count, (.avg, .min, .max, .geometric_mean | figure)]
  | map(tostring) | join("\t");

def block: .[0].device, (.[] | line), "", "";

# Names stand at the middle of their lines.
def name_rows: group_by(.group)[] | "\(map(.y) | (min + max) / 2)\t\(.[0].model)";

def files($title): lines as $lines
  | ([$lines[] | .min, .max] + [1] | log_limits(min; max; 0.06; 0.06)) as [$low, $high]
  | ($lines | group_by(.series)) as $blocks | ($lines | map(.y) | min) as $bottom
  | {
      # The headings of the figures stand in the empty line.
      title: "\($title)\n",
      names: ([$lines | name_rows] | join("\n")),
      ranges: ([$blocks[] | block] | join("\n")),
      variables: [
        "width = \(860 + 8 * ($lines | map(.model | length) | max))",
        "height = \(250 + 24 * (($blocks | length) - $bottom) | ceil)",
        "series = \($blocks | length); low = \($low); high = \($high); bottom = \($bottom - 0.8)",
        words_of("ticks"; log_ticks($low; $high))
      ] | join("\n")
    };

def chart: titled(true) | published_line as $published | (pairs_with_first | map(matched(work))) as $pairs
  | baseline_refusal($pairs) as $refusal
  | if $refusal then {$refusal}
    else ($pairs | rows) as $rows | "Speed ratio over \($pairs[0].base_name)\($published)" as $title | {
      layout: "summary",
      notes: [$pairs[] | note_unmatched],
      listings: {tsv: ([$rows | tsv] | join("\n")), table: ([$rows | text($title)] | join("\n"))},
      files: ($rows | files($title))
    } end;
