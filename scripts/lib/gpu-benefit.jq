# From cases to bars of how many times faster a file's GPUs are than its CPU.
include "results";
include "ratios";
include "ratio-bars";

# A publication names devices in its own words.
def is_cpu: test("(^|[^a-z])cpu([^a-z]|$)"; "i");

def pair($cases; $gpu; $cpu): {
  label: "\($gpu.device) over \($cpu.device)\($gpu.place)", name: $gpu.machine, cases: ($cases | of($gpu)),
  base_name: $cpu.machine, base_cases: ($cases | of($cpu))
};

def pairs: . as $cases
  | [contenders | group_by(.number)[] | . as $own
     | ($own[] | select(.device | is_cpu)) as $cpu | ($own[] | select(.device | is_cpu | not)) as $gpu
     | pair($cases; $gpu; $cpu) | matched(work)];

def chart: titled(true) | pairs as $pairs | ($pairs | map(select(.ratios != []))) as $drawn
  | if $drawn == [] then {refusal: ("no file has a case of a CPU and of another device;"
      + " run gpubench with --device cpu,cuda or cpu,mps")}
    else {
      layout: "ratio-bars",
      notes: [$pairs[] | note_unmatched],
      files: ($drawn | bars("GPU benefit: how many times faster than the CPU of the same file";
                            "GPU benefit (epoch time on CPU / epoch time on GPU)"))
    } end;
