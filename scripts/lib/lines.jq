# From points to the files of lines.gnuplot. A point has x, y, the title of its line, its machine, and its file.
include "results";

# Points of one machine are one line, unless several files have the same x.
def by_line:
  group_by([.title, .machine])[]
  | if group_by(.x) | any(map(.number) | unique | length > 1)
    then group_by(.number)[] | map(.machine += " (\(.file))") else . end;

# A colour for each title and dashes for each machine; with a single title the machines get the colours.
def lines:
  (map(.title) | distinct) as $titles
  | [by_line | {title: .[0].title, machine: .[0].machine, points: sort_by(.x)}]
  | (map(.machine) | distinct) as $machines
  | map(.title as $title | .machine as $machine | .style = 1 + ($machines | index($machine))
        | .colour = if $titles | length > 1 then 1 + ($titles | index($title)) else .style end)
  | sort_by(.style, .colour);

def name: "\(.title), \(.machine)";

def block: name, (.points[] | "\(.x)\t\(.y)"), "", "";

# As many of a sorted list as an axis has room for, evenly.
def thinned: (length / 12 | ceil) as $step | [.[range(0; length; $step)]];

def lines_chart($title; $xlabel; $ylabel):
  lines as $lines
  | (map(.x) | unique) as $steps
  | (map(.y) | log_limits(min; max; 0.06; 0.06)) as [$low, $high]
  | {layout: "lines", files: {
      $title, $xlabel, $ylabel,
      lines: [$lines[] | block] | join("\n"),
      variables: [
        "width = \(680 + 8 * ($lines | map(name | length) | max)); height = \([520, 160 + 23 * ($lines | length)] | max)",
        "low = \($low); high = \($high); left = \($steps[0]); right = \($steps[-1])",
        words_of("steps"; $steps | thinned), words_of("ticks"; log_ticks($low; $high)),
        words_of("colours"; $lines | map(.colour)), words_of("styles"; $lines | map(.style))
      ] | join("\n")
    }};
