# What people read: the table, a line of progress, the commands of a dry run.
include "summary";

# So many behind the point.
def fixed($digits):
  pow(10; $digits) as $unit | (. * $unit | round) as $number
  | ($number % $unit | tostring) as $fraction
  | "\($number / $unit | floor)" + if $digits == 0 then "" else "." + "0" * ($digits - ($fraction | length)) + $fraction end;

# Four digits or a little more.
def short: if . >= 1000 then fixed(0) elif . >= 100 then fixed(1) elif . >= 10 then fixed(2) elif . >= 1 then fixed(3)
  elif . >= 0.1 or . == 0 then fixed(4) elif . >= 0.001 then fixed(6) else fixed(9) end;

def unit: if . == "rate" then "/s" else "s" end;

def range_text: "[\(.min | short)..\(.max | short)]";

def left($width): . + " " * ($width - length);
def right($width): " " * ($width - length) + .;

# --- the table

def command_row($case; $index):
  [ (if $index == 0 then $case.name else "" end), .name, (if $case.best.name? == .name and $index > 0 then "*" else "" end),
    "\(.figures | map(values) | length)/\($case.pairs)",
    (if .median then .median | short else "-" end), (if .median then "\($case.measure | unit) \(range_text)" else "" end),
    (if .ratio.of_medians? then .ratio.of_medians | short else "" end),
    (if .ratio.median? then "\(.ratio.median | short) \(.ratio | range_text)" else "" end) ];

def header: ["case", "command", "", "runs", "median", "[min..max]", "ratio", "ratio by round [min..max]"];

def aligned($widths):
  [ (.[0] | left($widths[0])), (.[1] | left($widths[1])) + " " + (.[2] | left(1)), (.[3] | right($widths[3])),
    (.[4] | right($widths[4])) + " " + (.[5] | left($widths[5])), (.[6] | right($widths[6])), .[7] ]
  | join("  ") | sub(" +$"; "");

def failure_lines($cases):
  .case as $case | $cases[$case].commands[.side].name as $name
  | "  failed: \($name), round \(.round + 1) of \($cases[$case].pairs): \(.message)";

def mean_lines($a):
  (map(.over | length) | max) as $width
  | .[] | "  over \(.over | left($width))  \(if .ratio then .ratio | short else "-" end)"
    + "  (\(.measured) of \(.cases) cases)";

def table:
  .cases as $cases | .failures as $failures
  | [$cases | to_entries[] | .key as $index | .value as $case
     | {rows: [.value.commands | to_entries[] | .key as $side | .value | command_row($case; $side)],
        failures: [$failures[] | select(.case == $index) | failure_lines($cases)]}] as $blocks
  | ([header] + [$blocks[].rows[]] | transpose | map(map(length) | max)) as $widths
  | (header | aligned($widths)), ($blocks[] | (.rows[] | aligned($widths)), .failures[]), "",
    "geometric mean of the ratios of \([$cases[].commands[0].name] | unique | join(", "))",
    (.geometric_means | mean_lines(.)), "",
    "ratio: of medians, more than 1 is in favour of the first command; * the best of the others";

# --- progress

# The input is a run.
def progress($comparison):
  $comparison.cases[.case] as $case
  | "\($case.name), round \(.round + 1) of \($case.pairs): \($case.commands[.side].name): "
    + if .figure then "\(.figure | short) \($case.measure | unit)" else "failed: \(.message)" end;

# --- dry run

def shell_word: if test("^[A-Za-z0-9_@%+=:,./-]+$") then . else @sh end;

def commands:
  .cases as $cases | schedule as $run | $cases[$run.case] as $case | $case.commands[$run.side]
  | "# \($case.name), round \($run.round + 1) of \($case.pairs): \(.name)", (.argv | map(shell_word) | join(" "));
