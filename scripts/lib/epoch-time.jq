# From cases to the files of epoch-time.gnuplot.
include "results";

# Runs on one machine are one line, unless several of them measured the same batch size.
def by_line:
  group_by([.title, .machine])[]
  | if group_by(.batch) | any(map(.number) | unique | length > 1)
    then group_by(.number)[] | map(.machine += " (\(.file))") else . end;

# A colour for each model and dashes for each machine; with a single model the machines get the colours.
def lines:
  (map(.title) | distinct) as $titles
  | [by_line | {title: .[0].title, machine: .[0].machine, points: sort_by(.batch)}]
  | (map(.machine) | distinct) as $machines
  | map(.title as $title | .machine as $machine | .style = 1 + ($machines | index($machine))
        | .colour = if $titles | length > 1 then 1 + ($titles | index($title)) else .style end)
  | sort_by(.style, .colour);

def name: "\(.title), \(.machine)";

def block: name, (.points[] | "\(.batch)\t\(.seconds)"), "", "";

def chart: titled(true)
  | lines as $lines
  | (map(.seconds) | log_limits(min; max; 0.06; 0.06)) as [$low, $high]
  | {layout: "epoch-time", files: {
      title: ("Training time of an epoch by batch size" + published_line),
      lines: [$lines[] | block] | join("\n"),
      variables: [
        "width = \(680 + 8 * ($lines | map(name | length) | max)); height = \([520, 160 + 23 * ($lines | length)] | max)",
        "low = \($low); high = \($high)",
        words_of("batches"; map(.batch) | unique), words_of("ticks"; log_ticks($low; $high)),
        words_of("colours"; $lines | map(.colour)), words_of("styles"; $lines | map(.style))
      ] | join("\n")
    }};
