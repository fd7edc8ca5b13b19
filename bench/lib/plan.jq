# From the text of a plan, or the words of a command line, to a comparison:
# {cases: [{name, pairs, measure, commands: [{name, argv, figure}]}]}, A first; or {refusal}.

# Of a peer's line, or of gpubench's document with its single case.
def rate_figure: ".images_per_s? // (select(.cases | length == 1) | .cases[0] | select(.status == \"ok\") | .samples_per_second)";

def figure_of($measure; $given):
  if ($given // "") != "" then $given
  elif $measure == "rate" then rate_figure
  elif $measure == "wall" then "$wall"
  else error("measure seconds needs to be told the figure; e.g. --figure .seconds") end;

def known_measure:
  if . == "rate" or . == "seconds" or . == "wall" then .
  else error("measure '\(.)' is not known; use rate, seconds or wall") end;

def number_of_pairs:
  if test("^[0-9]{1,4}$") and tonumber > 0 then tonumber else error("pairs '\(.)': use a number from 1 to 9999") end;

def printable: if test("[[:cntrl:]]") then error("a name has control characters") else . end;

# --- words of a plan

def variable: "\\$[A-Za-z_][A-Za-z0-9_]*|\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}";
def parameter: "\\{[a-z][a-z0-9_]*\\}";
def tokens: scan("\\s+|'[^']*'|\"(?:[^\"\\\\]|\\\\.)*\"|\\\\.|\(variable)|\(parameter)|.");
def tokens_of_quoted: scan("\\\\[\"\\\\${]|\(variable)|\(parameter)|.");

# What a token outside quotes stands for. What it is replaced by is not looked at again.
def expanded($values):
  if test("^\\\\.$") then .[1:]
  elif test("^(?:\(variable))$") then
    gsub("[${}]"; "") as $name | env[$name] // error("\($name) is not set; export it")
  elif test("^(?:\(parameter))$") then
    .[1:-1] as $key | $values[$key] // error("{\($key)} has no value in this case")
  else . end;

def piece($values):
  if . == "'" or . == "\"" then error("a quote is not closed")
  elif test("^'") then .[1:-1]
  elif test("^\"") then [.[1:-1] | tokens_of_quoted | expanded($values)] | add // ""
  else expanded($values) end;

# A list of words; only blanks outside quotes part them.
def split_words($values):
  reduce (tokens, " ") as $token ({words: [], word: null};
    if $token | test("^\\s") then (if .word == null then . else .words += [.word] | .word = null end)
    else .word = (.word // "") + ($token | piece($values)) end)
  | .words;

# --- lines of a plan

# {number, text} for each line, comments and empty ones left out; the number is that of its first line.
def plan_lines:
  reduce (split("\n") | to_entries[]) as $line ({lines: [], open: null};
    ($line.value | rtrimstr("\r")) as $text
    | (if .open then .open | .text += $text else {number: ($line.key + 1), text: $text} end) as $whole
    | if ($text | endswith("\\")) and ($whole.text | test("^\\s*#") | not)
      then .open = ($whole | .text |= rtrimstr("\\"))
      else .open = null | .lines += [$whole] end)
  | (.lines + [.open // empty])[] | select(.text | test("^\\s*(?:#|$)") | not);

def keyword: capture("^\\s*(?<word>\\S+)\\s*(?<rest>.*?)\\s*$");

def command: capture("^(?<name>\\S+)\\s+(?<text>.+)$") // error("a label and a command are expected");

def assignment:
  if test("^[a-z][a-z0-9_]*=") then index("=") as $at | {key: .[:$at], value: .[$at + 1:]}
  else error("'\(.)': KEY=VALUE is expected, KEY in small letters") end;

def argv($values):
  .number as $number
  | try (.text | split_words($values)) catch error(if $number then "the command of line \($number): \(.)" else . end);

def commands($state; $values):
  ($state.a // error("no command A yet; a line 'a LABEL COMMAND' comes before"))
  | [{name, argv: argv($values), figure: figure_of($state.measure; $state["figure-a"])}]
    + ($state.b | map({name, argv: argv($values), figure: figure_of($state.measure; $state["figure-b"])}));

def case($state):
  split_words({}) as [$name] | split_words({}) as $words
  | ($name // error("the case has no name")) | printable
  | ($words[1:] | map(assignment) | from_entries) as $values
  | if $state.b == [] then error("no command B yet; a line 'b LABEL COMMAND' comes before") else . end
  | {name: $name, pairs: $state.pairs, measure: $state.measure, commands: commands($state; $values)};

# What a line does to the state; each line holds for the cases below it.
def after($line):
  . as $state | ($line.text | keyword) as {$word, $rest}
  | if $word == "pairs" then .pairs = ($rest | number_of_pairs)
    elif $word == "measure" and .cases != [] then error("one measure holds for the whole plan; put it before the first case")
    elif $word == "measure" then .measure = ($rest | known_measure)
    elif $word == "figure-a" or $word == "figure-b" then .[$word] = $rest
    elif $word == "figure" then .["figure-a"] = $rest | .["figure-b"] = $rest
    elif $word == "a" then .a = ($rest | command) + {number: $line.number}
    elif $word == "b" then ($rest | command) as $b | .b |= map(select(.name != $b.name)) + [$b + {number: $line.number}]
    elif $word == "case" then .cases += [$rest | case($state)]
    else error("'\($word)' is not known; use pairs, measure, figure, figure-a, figure-b, a, b or case") end;

def planned($file):
  reduce plan_lines as $line ({pairs: 5, measure: "rate", b: [], cases: []};
    try after($line) catch error("\($file):\($line.number): \(.)"))
  | if .cases == [] then error("\($file): has no line 'case NAME'") else {cases} end;

# --- words of a command line

def groups:
  reduce .[] as $word ([[]]; if $word == "--" then . + [[]] else .[-1] += [$word] end);

def name_of($index; $count; $given):
  $given[$index] // if $index == 0 then "A" elif $count == 2 then "B" else "B\($index)" end;

def typed($options):
  ($options.words | groups) as $groups
  | ($options.measure | if . == "" then "rate" else known_measure end) as $measure
  | if $groups | length < 2 then error("nothing to compare with; a second command comes after a second --")
    elif any($groups[]; . == []) then error("a command between two -- is empty")
    elif $options.labels | length > ($groups | length) then error("--label: more labels than commands")
    else . end
  | {cases: [{
      name: ($options.name | if . == "" then "case" else printable end), pairs: 5, $measure,
      commands: [$groups | to_entries[] | {
        name: (.key | name_of(.; $groups | length; $options.labels) | printable), argv: .value,
        figure: figure_of($measure; if .key == 0 then $options.figure_a else $options.figure_b end)}]}]};

# --- both

def distinct_labels:
  if .cases | all(.commands | map(.name) | length == (unique | length)) then .
  else error("two commands of a case have the same label") end;

def chosen($only):
  if $only == [] then . else
    .cases |= map(select(.name | . as $name | any($only[]; . as $text | $name | contains($text))))
    | if .cases == [] then error("--only \($only | join(", ")): no case of the plan is called so") else . end
  end;

# The options of the command line. `only` and `labels` count the first positional arguments; the others are the words.
def options($arguments):
  $arguments.positional as $all | $arguments.named | .only as $only | .labels as $labels
  | .only = $all[:$only] | .labels = $all[$only:$only + $labels] | .words = $all[$only + $labels:];

def or_refuse: if .refusal then "gpubench: \(.refusal)\n" | halt_error(2) else . end;

# The expressions that the caller wrote, each ended by a zero byte.
def given_figures: [.cases[].commands[].figure | select(. != rate_figure)] | unique[] | . + "\u0000";

def comparison($text; $file; $options):
  try (
    (if $file == "" then typed($options) else $text | planned($file) end)
    | distinct_labels | chosen($options.only)
    | if $options.pairs == "" then . else .cases[].pairs = ($options.pairs | number_of_pairs) end
  ) catch {refusal: .};
