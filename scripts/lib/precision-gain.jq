# From cases to bars of what smaller number formats gain over fp32 on the same device.
include "results";
include "ratios";
include "ratio-bars";

def without_precision: .precision = "" | work;

def pair($cases; $precision): "\($precision), \(.machine)" as $name | {
  label: $name, $name, cases: ($cases | map(select(.precision == $precision))),
  base_name: "fp32, \(.machine)", base_cases: ($cases | map(select(.precision == "fp32")))
};

# In each contender every precision against fp32.
def pairs: . as $cases
  | [contenders[] | . as $contender | ($cases | of($contender)) as $own
     | ($own | map(.precision) | distinct[] | select(. != "fp32" and . != "")) as $precision
     | pair($own; $precision) | matched(without_precision)];

def chart: titled(false) | pairs as $pairs | ($pairs | map(select(.ratios != []))) as $drawn
  | if $drawn == [] then {refusal: ("no case was measured in fp32 and in another precision on one device;"
      + " run gpubench with --precision fp32,amp-bf16")}
    else {
      layout: "ratio-bars",
      notes: [$pairs[] | note_unmatched],
      files: ($drawn | bars("Precision gain: what smaller number formats make of an epoch in fp32";
                            "precision gain (epoch time in fp32 / epoch time)"))
    } end;
