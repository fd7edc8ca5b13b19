# From cases to the files of speedup.gnuplot.
include "results";

# A contender is a device of a file; the first one is the baseline.
def contenders:
  (map({number, device, host, file}) | distinct | map(.name = "\(.device) on \(.host)")) as $all
  | $all | map(.name as $name | if [$all[] | select(.name == $name)] | length > 1 then .name += " (\(.file))" else . end);

def of($contender): map(select(.number == $contender.number and .device == $contender.device));

# Epochs of other data, size or precision are other work.
def work: "\([.model, .dataset, .batch, .samples, .precision])";

# The cases that a contender has in common with the baseline, with the baseline's time by its own.
def ratios($baseline; $contender):
  (of($baseline) | map({key: work, value: .seconds}) | from_entries) as $reference
  | of($contender) | map(select($reference[work]) | .ratio = $reference[work] / .seconds);

def geometric_mean: map(log) | add / length | exp;

# A place on the axis for each model and batch size, models apart from each other.
def places:
  . as $ratios | map(.title) | distinct | to_entries
  | map(.key as $group | .value as $title
        | {$group, $title, batch: ($ratios | map(select(.title == $title) | .batch) | unique[])})
  | to_entries | map(.value + {x: (.key + 0.7 * .value.group)});

# Batch sizes, and below the middle of them their model.
def tick_rows:
  group_by(.group)[] | (map(.x) | (min + max) / 2) as $middle | .[0].title as $title
  | (map({x, text: "\(.batch)"}) + [{x: $middle, text: ""}] | group_by(.x)[]
     | "\(.[0].x)\t\(map(.text) | add)\(if .[0].x == $middle then "\\n\($title)" else "" end)");

def bar_rows($places; $shift):
  .[] | . as $bar | ($places[] | select(.title == $bar.title and .batch == $bar.batch) | .x) as $x
  | "\($x + $shift)\t\(.ratio)\t\(.ratio | short)";

def note_unmatched($baseline; $contender; $matched):
  [$baseline, $contender][] as $side | (of($side) | length - $matched) | select(. > 0)
  | "\(.) case(s) of \($side.name) have no counterpart in the other and are left out";

def block($places; $width; $count):
  "\(.name): \(.ratios | map(.ratio) | geometric_mean | short) (geometric mean of \(.ratios | length))",
  (.series as $series | .ratios | bar_rows($places; $width * ($series - ($count + 1) / 2))), "", "";

def title($baseline):
  "Speed-up over \($baseline.name)" + if length > 1 then "" else
    "\n\(.[0].name) is \(.[0].ratios | map(.ratio) | geometric_mean | short) times as fast (geometric mean)" end;

def files($baseline; $series):
  [$series[].ratios[]] as $all | ($all | places) as $places | ($series | length) as $count | (0.85 / $count) as $width
  | ($all | map(.ratio) + [1] | log_limits(min; max; 0.1; 0.14)) as [$low, $high]
  | {
      title: ($series | title($baseline)),
      ticks: ([$places | tick_rows] | join("\n")),
      bars: ([$series[] | block($places; $width; $count)] | join("\n")),
      variables: [
        "width = \([900, 120 + 42 * ($places | length) * ([$count * 0.7, 1] | max)] | max); height = \(500 + 24 * $count)",
        "left = -0.7; right = \($places[-1].x + 0.7)",
        "series = \($count); bar_width = \($width); low = \($low); high = \($high)",
        words_of("ticks"; log_ticks($low; $high))
      ] | join("\n")
    };

def chart:
  . as $cases | contenders as $contenders | $contenders[0] as $baseline
  | [$contenders[1:] | to_entries[] | .key as $index | .value
     | . as $contender | .series = $index + 1 | .ratios = ($cases | ratios($baseline; $contender))] as $series
  | ([$series[] | select(.ratios == []) | .name]) as $strangers
  | if $series == [] then {refusal: "the only device in the files is \($baseline.name); name a second result file"}
    elif $strangers != [] then {refusal: ("\($strangers[0]) and \($baseline.name) have no case in common"
      + " (model, dataset, batch, samples and precision); run the same cases on both")}
    else {
      notes: [$series[] | . as $contender | $cases | note_unmatched($baseline; $contender; $contender.ratios | length)],
      files: files($baseline; $series)
    } end;
