# What the plot scripts take from a result file, and the labels they give it.

# Text from a file ends up in charts, on terminals and in tables: only letters, digits and harmless punctuation pass, and
# nothing that begins like a formula of a spreadsheet.
def clean: gsub("[^\\p{L}\\p{N} ._:+()/@,=-]+"; "_") | sub("^[=+@-]+"; "_") | .[0:60];

# A message is for the terminal only.
def one_line: split("\n")[0] // "" | gsub("[[:cntrl:]]"; "?") | .[0:200];

def is_case:
  type == "object" and ([.model, .dataset, .device, .status, .precision] | all(type == "string"))
  and ([.batch, .train_samples] | all(type == "number" and . >= 0));

# A publication does not tell all that a run does.
def is_published_case:
  type == "object" and ([.model, .dataset, .device, .status] | all(type == "string"))
  and (.batch | type == "number" and . >= 0)
  and (.status != "ok" or (.epoch_seconds | type == "array" and . != [] and all(type == "number")));

def is_published: .published | type == "object";

def is_result: type == "object" and (.schema_version | type == "number")
  and (is_published or (.tool | type == "object" and .name == "gpubench"));

def is_readable: (.cases | type == "array")
  and if is_published then all(.cases[]; is_published_case)
      else (.environment | type == "object" and (.host | type == "string")) and all(.cases[]; is_case) end;

# For a list of documents: "result", "peak", "operations", "version N", or "foreign".
def verdict:
  if length != 1 or (.[0] | is_result | not) then "foreign"
  elif (.[0].schema_version | . != 1 and . != 2 and . != 3) then "version \(.[0].schema_version)"
  elif .[0].points | type == "array" then "peak"
  elif .[0].operations | type == "array" then "operations"
  elif .[0] | is_readable | not then "foreign"
  else "result" end;

def median: sort | (length / 2 | floor) as $half
  | if length % 2 == 1 then .[$half] else (.[$half - 1] + .[$half]) / 2 end;

# A published case has no derived figure. Null where there is nothing to plot.
def epoch_time($published):
  if .status != "ok" then null elif $published then .epoch_seconds | median else .median_epoch_seconds end
  | if type == "number" and . > 0 then . else null end;

# Where the devices of a document are, to stand behind their names.
def place:
  if is_published then " (published)"
  else .environment.host | clean | if . == "" then " on unnamed host" else " on \(.)" end end;

def text: if type == "string" then clean else "" end;

# The cases of a document.
def cases($file; $number):
  is_published as $published | place as $place | .cases[] | {
    $number, $published, $place, file: ($file | sub(".*/"; "") | clean),
    model: (.model | clean), sizes: (.sizes | text), dataset: (.dataset | clean), device: (.device | clean),
    precision: (.precision | text), execution: (.execution | text), layout: (.layout | text), loader: (.loader | text),
    protocol: (.protocol | text), batch, samples: (.train_samples | if type == "number" then . else null end),
    status: (.status | clean), message: (.status_message | if type == "string" then one_line else "" end),
    seconds: epoch_time($published)
  } | .machine = .device + $place;

def failure:
  "\(.file): \(.model)\(if .sizes == "" then "" else " (\(.sizes))" end) on \(.device), \(.dataset), batch \(.batch)"
  + (if .precision == "fp32" or .precision == "" then "" else ", \(.precision)" end) + " is left out: \(.status)"
  + (if .message == "" then "" else ": \(.message)" end);

# Distinct values in the order of their first appearance; unlike `unique`, which sorts.
def distinct: reduce .[] as $item ([]; if index([$item]) then . else . + [$item] end);

# Modes that some device of some file went through in turns: only there do they tell cases apart.
def swept:
  ["execution", "layout", "loader", "protocol", "samples"] as $modes
  | group_by([.number, .device, .model, .sizes, .dataset, .batch, .precision])
  | [$modes[] as $mode | select(any(.[]; map(.[$mode]) | unique | length > 1)) | $mode];

# Repetitions of a case become one, with the median of their times.
def without_repeats: swept as $swept
  | map(.modes = [.[$swept[]] | values | if type == "number" then "\(.) samples" else . end | select(. != "")])
  | [group_by([.number, .device, .model, .sizes, .dataset, .batch, .precision, .modes])[]
     | .[0] + {seconds: (map(.seconds) | median), order: (map(.order) | min)}]
  | sort_by(.order);

# What tells a model's cases apart, of `["layers=2,heads=2", "layers=4,heads=2"]` the layers.
def telling_sizes($all): . as $sizes
  | [$all[] | split(",")] as $lists | $sizes | split(",")
  | map(select(. as $size | $lists | all(index([$size])) | not));

# `.parts` is the model and whatever tells its cases apart besides the batch size, and `.title` says it in a line.
def titled($with_precision):
  (group_by(.model) | map({key: .[0].model, value: {
     datasets: (map(.dataset) | unique), sizes: (map(.sizes) | unique), precisions: (map(.precision) | unique - [""])}})
   | from_entries) as $known
  | map($known[.model] as $model
      | .parts = [.model, (select($model.datasets | length > 1) | .dataset), (.sizes | telling_sizes($model.sizes))[],
                  (select($with_precision and ($model.precisions | length > 1)) | .precision | select(. != "")), .modes[]]
      | .title = .parts[0] + if .parts | length > 1 then " (\(.parts[1:] | join(", ")))" else "" end);

# Ticks of a logarithmic axis from $low to $high: the finer, the closer these are.
def log_ticks($low; $high):
  ($high / $low) as $span
  | (if $span > 8 then [1, 2, 5]
    elif $span > 3 then [1, 1.5, 2, 3, 5, 7]
    elif $span > 1.5 then [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9]
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

# A line below the title of a chart that has figures of a publication.
def published_line: map(select(.published) | .file) | distinct
  | if . == [] then "" else "\n(published, other protocol): \(join(", "))" end;
