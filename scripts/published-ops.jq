# The figures of published-ops.sh, a text, to the text of results/reference/ops-published.tsv.

def names: {
  "Argmax": "argmax", "BCE": "bce", "Concat": "concat", "Conv1d": "conv1d", "Conv2d": "conv2d", "Gather": "gather",
  "LayerNorm": "layer_norm", "LeakyReLU": "leaky_relu", "Linear": "linear", "MatMul": "matmul", "PReLU": "prelu",
  "ReLU": "relu", "ScaledDotProductAttention": "attention", "Scatter": "scatter", "ScatterMax": "scatter_max",
  "ScatterSum": "scatter_sum", "SeLU": "selu", "Sigmoid": "sigmoid", "Softmax": "softmax", "Softplus": "softplus",
  "Sort": "sort", "Sum": "sum", "SumAll": "sum_all"
};

def op_of: names[.] // error("unknown operation \"\(.)\"");

# "M3 Max (16 CPU cores) mlx 0.2.0" as "m3-max", what sellers put around the name left out.
def short: sub(" *[(].*"; "") | sub("^Tesla "; "") | sub("^RTX"; "RTX ") | sub(" 80GB PCIe$"; "")
  | ascii_downcase | gsub("[^a-z0-9]+"; "-");

# Of several tables of one machine the later ones are told apart by the version of mlx that they name.
def version: capture("mlx:? (?<version>[0-9.]+)").version // error("\(.): no version to tell it from another by");
def add_slug($machine): ($machine | short) as $slug
  | (if any(.[]; .slug == $slug) then "\($slug)-mlx-\($machine | version)" else $slug end) as $own
  | if any(.[]; .slug == $own) then error("\($machine): another machine is \($own) too") else . end
  | . + [{slug: $own, machine: $machine}];

# In the order of the figures.
def machines_of($rows): reduce $rows[] as $row ([]; if index([$row[0]]) then . else . + [$row[0]] end);

def sizes: gsub("dim="; "");

# Which article that was is not told.
def text: sub("seed article"; "article");

rtrimstr("\n") | split("\n") | map(rtrimstr("\r") | split("\t"))
| if .[0] != ["machine", "op", "case", "backend", "ms"] then error("the heading is not: machine op case backend ms") else .[1:] end
| . as $rows
| reduce machines_of($rows)[] as $machine ([]; add_slug($machine))
| . as $machines
| ($machines | map({key: .machine, value: .slug}) | from_entries) as $slugs
| ($machines | map(["machine", .slug, (.machine | text)])) + [["slug", "backend", "op", "sizes", "ms"]]
  + ($rows | map([$slugs[.[0]], .[3], (.[1] | op_of), (.[2] | sizes), .[4]]))
| map(join("\t")) | join("\n")
