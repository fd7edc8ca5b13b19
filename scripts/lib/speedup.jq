# From cases to bars of how many times faster each contender is than the first.
include "results";
include "ratios";
include "ratio-bars";

def title:
  "Speed-up over \(.[0].base_name)" + if length > 1 then "" else
    "\n\(.[0].name) is \(.[0].ratios | map(.ratio) | geometric_mean | short) times as fast (geometric mean)" end;

def chart: titled(true) | (pairs_with_first | map(matched(work))) as $pairs
  | baseline_refusal($pairs) as $refusal
  | if $refusal then {$refusal}
    else {
      layout: "ratio-bars",
      notes: [$pairs[] | note_unmatched],
      files: ($pairs | bars(title; "speed ratio (epoch time of the baseline / epoch time)"))
    } end;
