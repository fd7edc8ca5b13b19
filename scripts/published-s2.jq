# The figures of published-s2.sh, a text, to the text of a results document with one case a line.

def columns: ["workload", "device", "batch", "emsize", "nlayers", "nhid", "status", "seconds", "temperature_c",
  "memory_gb", "power_w"];

def workloads: {
  "dcgan": {dataset: "lsun-classroom", item: "image"},
  "siamese": {dataset: "mnist", item: "pair"},
  "transformer_lm": {dataset: "wikitext2", item: "token"},
  "vae": {dataset: "mnist", item: "image"}
};

def status_of: if . == "runtime_error" then "error" elif . == "ok" or . == "oom" then .
  else error("unknown status '\(.)'; known: ok, oom, runtime_error") end;

def message_of: if . == "oom" then "the publication says: out of memory" else "the publication says: runtime error" end;

# Heads and sequence length are not columns: they are those of the workload as gpubench has it.
def sizes: if .emsize == "" then {} else
  {sizes: "embedding=\(.emsize),hidden=\(.nhid),layers=\(.nlayers),heads=2,bptt=35"} end;

# Whose memory it is, and whether at its peak, is not told, so it goes into no field of a measured case. A bound keeps its own key.
def memory: if .memory_gb == "" then {}
  elif .memory_gb | startswith("<") then {memory_below_bytes: (.memory_gb[1:] | tonumber * 1e9 | round)}
  else {memory_bytes: (.memory_gb | tonumber * 1e9 | round)} end;

def outcome: if .status == "ok" then {status: "ok", status_message: null, status_message_reason: "the case ended well",
    epoch_seconds: [.seconds | tonumber]}
  else {status: (.status | status_of), status_message: (.status | message_of)} end;

def case_of: {model: .workload} + sizes + {dataset: workloads[.workload].dataset, device: .device, batch: (.batch | tonumber),
  epochs: 1, item: workloads[.workload].item} + outcome;

def figures: memory + (if .temperature_c == "" then {} else {temperature_celsius: (.temperature_c | tonumber)} end)
  + (if .power_w == "" then {} else {power_watts: (.power_w | tonumber)} end);

def publication: {
  title: "Published comparison S2: workloads of PyTorch's examples on M1 Ultra CPU, M1 Ultra GPU and RTX 2070 Super",
  address: null,
  address_reason: "it did not come with the figures",
  protocol: "Wall seconds of one epoch. Beside them temperature, memory and power; how these were taken is not told.",
  note: "Published by others, not verified, and of another protocol than gpubench's: no warm-up epoch is told of. Not columns of the figures, but filled in here: the datasets (LSUN classroom for dcgan is the publication's; MNIST and WikiText-2 are those of PyTorch's examples), heads and bptt (the example's), and a GB as 1e9 bytes. Samples of an epoch are not told, so that no throughput follows."
};

def rows: rtrimstr("\n") | split("\n") | map(rtrimstr("\r") | split("\t"))
  | if .[0] != columns then error("the heading is not: \(columns | join(" "))") else .[1:] end
  | map([columns, . + [range(length; columns | length) | ""]] | transpose | map({key: .[0], value: .[1]}) | from_entries);

def listed: map("    " + tojson) | join(",\n");

rows as $rows
| "{\n  \"schema_version\": 1,\n  \"published\": {\n"
+ (publication | to_entries | map("    \(.key | tojson): \(.value | tojson),\n") | join(""))
+ "    \"figures\": [\n" + ($rows | map("      " + (figures | tojson)) | join(",\n")) + "\n    ]\n  },\n"
+ "  \"cases\": [\n" + ($rows | map(case_of) | listed) + "\n  ]\n}"
