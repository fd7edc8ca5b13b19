# What the plot scripts take from a result file, and the labels they give it.

# Text from a file ends up in charts and on terminals: only letters, digits and harmless punctuation pass.
def clean: gsub("[^\\p{L}\\p{N} ._:+()/@,-]+"; "_") | .[0:60];

# A message is for the terminal only.
def one_line: split("\n")[0] // "" | gsub("[[:cntrl:]]"; "?") | .[0:200];

def is_case:
  type == "object" and ([.model, .dataset, .device, .status, .precision] | all(type == "string"))
  and ([.batch, .train_samples] | all(type == "number" and . >= 0));

def is_result:
  type == "object" and (.tool | type == "object" and .name == "gpubench") and (.schema_version | type == "number");

def is_readable: (.environment | type == "object" and (.host | type == "string"))
  and (.cases | type == "array" and all(.[]; is_case));

# For a list of documents: "result", "peak", "version N", or "foreign".
def verdict:
  if length != 1 or (.[0] | is_result | not) then "foreign"
  elif .[0].schema_version != 1 then "version \(.[0].schema_version)"
  elif .[0].points | type == "array" then "peak"
  elif .[0] | is_readable | not then "foreign"
  else "result" end;

# The cases of a document; `seconds` is null where there is nothing to plot.
def cases($file; $number):
  (.environment.host | clean | if . == "" then "unnamed host" else . end) as $host | .cases[] | {
    $number, $host, file: ($file | sub(".*/"; "") | clean),
    model: (.model | clean), dataset: (.dataset | clean), device: (.device | clean), precision: (.precision | clean),
    batch, samples: .train_samples, status: (.status | clean),
    message: (.status_message | if type == "string" then one_line else "" end),
    seconds: (if .status == "ok" then .median_epoch_seconds else null end
      | if type == "number" and . > 0 then . else null end)
  };

def failure:
  "\(.file): \(.model) on \(.device), \(.dataset), batch \(.batch) is left out: \(.status)"
  + (if .message == "" then "" else ": \(.message)" end);

# Distinct values in the order of their first appearance; unlike `unique`, which sorts.
def distinct: reduce .[] as $item ([]; if index([$item]) then . else . + [$item] end);

# "cnn", or "cnn (cifar10)" where the model was trained on several datasets.
def with_titles:
  (map({model, dataset}) | unique | map(.model)) as $models
  | map(. as $case | .title = .model
        + (if [$models[] | select(. == $case.model)] | length > 1 then " (\(.dataset))" else "" end));

# Ticks of a logarithmic axis from $low to $high: the finer, the closer these are.
def log_ticks($low; $high):
  ($high / $low) as $span
  | (if $span > 8 then [1, 2, 5]
    elif $span > 2 then [1, 1.5, 2, 3, 5, 7]
    else [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2, 2.25, 2.5, 2.75, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5]
    end) as $steps
  | [range($low | log10 | floor; 1 + ($high | log10 | ceil)) as $power | $steps[] * ($power * 2.302585092994046 | exp)
     | select(. >= $low * 0.9999 and . <= $high * 1.0001)];

# Limits that leave room around the data; a share of the axis below and above.
def log_limits($low; $high; $below; $above):
  ([$high / $low, 1.2] | max | log) as $length
  | [($low | log) - $below * $length, ($high | log) + $above * $length] | map(exp);

# A gnuplot variable that lists numbers.
def words_of($name; $numbers): "\($name) = '\($numbers | map(tostring) | join(" "))'";

# Three digits.
def short: if . >= 100 then round elif . >= 10 then (. * 10 | round / 10) elif . >= 0.1 then (. * 100 | round / 100)
  else (. * 1000 | round / 1000) end | tostring;
