# Ratios of the epoch times of the same work: what the charts of ratios, and their table, have in common.
# A pair is two lists of cases to hold against each other: {label, name, cases, base_name, base_cases}, and `ratios` later.
include "results";

# A contender is a device of a file.
def contenders:
  (map({number, device, place, machine, file}) | distinct) as $all
  | $all | map(.machine as $machine
      | (if [$all[] | select(.machine == $machine)] | length > 1 then " (\(.file))" else "" end) as $source
      | .place += $source | .machine += $source);

def of($contender): map(select(.number == $contender.number and .device == $contender.device));

# Each contender against the first one.
def pairs_with_first: . as $cases | contenders as $all
  | [$all[1:][] | . as $other | {
       label: .machine, name: .machine, cases: ($cases | of($other)),
       base_name: $all[0].machine, base_cases: ($cases | of($all[0]))}];

# Epochs of another network, other data, size, mode or precision are other work. A publication that does not tell the
# precision is taken for fp32.
def work: "\([.model, .sizes, .dataset, .batch, (.precision | if . == "" then "fp32" else . end), .modes])";

# How many samples an epoch has is not always told.
def as_many_samples($other): .samples == null or $other.samples == null or .samples == $other.samples;

# Adds the cases that both sides have, as `ratios`: the base's time by their own, under the base's name.
def matched(work):
  (.base_cases | group_by(work) | map({key: (.[0] | work), value: .}) | from_entries) as $bases
  | .ratios = [.cases[] | . as $case | first($bases[work][]? | select(as_many_samples($case))) as $base
               | {batch, ratio: ($base.seconds / .seconds)} + ($base | {title, parts, order})];

def arithmetic_mean: add / length;
def geometric_mean: map(log) | add / length | exp;

def note_unmatched:
  (.ratios | length) as $matched
  | ([.base_name, .base_cases, .name], [.name, .cases, .base_name]) as [$name, $side, $other]
  | ($side | length - $matched) | select(. > 0)
  | "\(.) case(s) of \($name) have no counterpart in those of \($other) and are left out";

# What keeps pairs against one baseline from being drawn, or null.
def baseline_refusal($pairs):
  contenders[0].machine as $baseline | [$pairs[] | select(.ratios == []) | .name] as $strangers
  | if $pairs == [] then "the only device in the files is \($baseline); name a second result file"
    elif $strangers != [] then "\($strangers[0]) and \($baseline) have no case in common"
      + " (model, sizes, dataset, batch, samples, precision and modes); run the same cases on both"
    else null end;
