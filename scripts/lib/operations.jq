# What plot-sweep.sh takes from a document of operations: its square matrix products. Takes the place of the definitions of
# the same names for results of runs.
include "results";

def is_operation:
  type == "object" and ([.op, .sizes, .type, .device, .status] | all(type == "string"));

def is_readable_sweep: (.environment.host? | type == "string") and all(.operations[]; is_operation);

# For a list of documents: "result", "peak", "run", "table", "version N", or "foreign".
def verdict:
  if length != 1 or (.[0] | is_result | not) then "foreign"
  elif .[0].points | type == "array" then "peak"
  elif .[0].cases | type == "array" then "run"
  elif .[0].operations | type != "array" then "foreign"
  elif (.[0].schema_version | . != 1 and . != 2) then "version \(.[0].schema_version)"
  elif .[0].settings.kind? != "sweep" then "table"
  elif .[0] | is_readable_sweep then "result"
  else "foreign" end;

# Of "256x256 256x256"; null for other sizes.
def side: if test("^([0-9]{1,9})x\\1 \\1x\\1$") then split("x")[0] | tonumber else null end;

def call_time:
  if .status == "ok" and ([.median_call_seconds, .flop] | all(type == "number" and . > 0))
  then .median_call_seconds else null end;

# The products of a document.
def cases($file; $number):
  place as $place | .operations[] | select(.op == "matmul") | (.sizes | side) as $side | select($side) | {
    $number, $place, file: ($file | sub(".*/"; "") | clean), $side, type: (.type | clean), device: (.device | clean),
    direction: (.direction | text), cache: (.cache | text), status: (.status | clean),
    message: (.status_message | if type == "string" then one_line else "" end),
    seconds: call_time, flop
  } | .machine = .device + $place;

def failure:
  "\(.file): \(.side) x \(.side) in \(.type) on \(.device) is left out: \(.status)"
  + (if .message == "" then "" else ": \(.message)" end);

def without_repeats: .;
