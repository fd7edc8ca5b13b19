# The journal: what a run leaves in it, what it still lacks, and what its figures come to.
# Its first line is the comparison, every other one a run.

# --- a run

def is_figure: type == "number" and . > 0 and . < infinite;

# The whole text where it is one JSON object, else its last line that is one.
def document:
  first((., (split("\n") | reverse[])) | fromjson? | select(type == "object"));

def last_line:
  [splits("[\r\n]+") | gsub("[[:cntrl:]]"; "?") | select(test("\\S"))][-1] // "" | .[0:200];

def reason($status; $last):
  (if $status != 0 then "exit status \($status)" else "no figure on stdout" end)
  + ": " + if $last == "" then "nothing on stderr" else $last end;

# $run has place, status, wall, started_at, and the texts of stdout and of the end of stderr.
def run($run; figure):
  ([$run.text | document][0] | [figure?][0] | if is_figure then . else null end) as $figure
  | $run | .place + {started_at, status, wall_seconds: .wall}
    + if .status == 0 and $figure then {$figure}
      else {figure: null, message: reason(.status; .last | last_line)} end;

# --- the journal, as lines of text

# A place is {case, round, side}, all counted from 0; side 0 is A.
def key: "\(.case) \(.round) \(.side)";

def journal: [inputs | fromjson? | select(type == "object")];

def first_line:
  journal[0] | if .kind? != "gpubench comparison" then {refusal: "the file of --resume is no journal of a comparison"}
    elif .version != 1 then {refusal: "the journal has version \(.version), this script continues version 1"}
    else . end;

# A failed run that was repeated counts as its repetition.
def standing: map({key: key, value: .}) | from_entries;

# All runs in their order. It starts one further in each round, so that nothing always runs first or after the same.
def schedule:
  .cases | to_entries[] | .key as $case | .value | (.commands | length) as $count
  | range(.pairs) as $round | range($count) | {$case, $round, side: ((. + $round) % $count)};

def missing:
  journal as $journal | ($journal[1:] | standing) as $runs
  | $journal[0] | schedule as $place | select($runs[$place | key].figure == null)
  | .cases[$place.case].commands[$place.side] + {$place};

# What runs.sh reads: place, figure, number of words, words.
def as_fields: (.place | tojson), .figure, "\(.argv | length)", .argv[] | . + "\u0000";

# --- figures

def median: sort | if length == 0 then null
  elif length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;

def geometric_mean: if length == 0 then null else map(log) | add / length | exp end;

def spread: {median: median, min: min, max: max};

# How much better $a is than $b; null where one of them is.
def ratio($measure; $a; $b):
  if $a == null or $b == null then null elif $measure == "rate" then $a / $b else $b / $a end;

def side($case; $index; $runs):
  [range($case.pairs) as $round | $runs["\($case.index) \($round) \($index)"] | .figure] as $figures
  | $case.commands[$index] + {$figures} + ($figures | map(values) | spread);

def against($case; $a):
  . as $b
  | .ratio = (ratio($case.measure; $a.median; .median) as $of_medians
      | [range($case.pairs) | ratio($case.measure; $a.figures[.]; $b.figures[.])] as $of_rounds
      | {$of_medians, $of_rounds} + ($of_rounds | map(values) | spread));

# The label that A has the least advantage over.
def best: map(select(.ratio.of_medians)) | min_by(.ratio.of_medians) | if . then {name, ratio: .ratio.of_medians} else null end;

def case_summary($runs):
  . as $case | side($case; 0; $runs) as $a
  | [range(1; .commands | length) | side($case; .; $runs) | against($case; $a)] as $others
  | {name, pairs, measure, commands: ([$a] + $others), best: ($others | best)};

def family: if test("/") then split("/")[0] else empty end;

# $over is what A is compared with; the input, its ratio in each case that has it, null where nothing was measured.
def mean_over($over): {$over, cases: length, measured: (map(values) | length), ratio: (map(values) | geometric_mean)};

def distinct: reduce .[] as $item ([]; if index([$item]) then . else . + [$item] end);

def means:
  . as $cases | [.[].commands[1:] | map(.name)] | add | distinct | . as $labels
  | [$cases[] | .best | .ratio?] as $of_best
  | ($of_best | mean_over("the best")),
    ([$labels[] | family] | group_by(.)[] | select(length > 1) | .[0] as $family
      | [$cases[] | .commands[1:] | map(select(.name | startswith($family + "/"))) | select(. != []) | best | .ratio?]
      | mean_over("the best of \($family)")),
    ($labels[] as $name | [$cases[] | .commands[1:][] | select(.name == $name) | .ratio.of_medians] | mean_over($name));

def outcome($comparison; $runs):
  [$comparison | schedule | $runs[key]] | if any(. == null) then "incomplete" elif any(.figure == null) then "failed" else "complete" end;

def summary:
  journal as $journal | $journal[0] as $comparison | ($journal[1:] | standing) as $runs
  | [$comparison.cases | to_entries[] | .value + {index: .key} | case_summary($runs)] as $cases
  | $comparison + {
      outcome: outcome($comparison; $runs), $cases, geometric_means: [$cases | means],
      failures: [$comparison | schedule | $runs[key] // empty | select(.figure == null)], runs: $journal[1:]};
