# Prints values of a JSON document, one per line, strings without quotes:
# awk -v pointer=/results/model=cnn,batch_size=128/status -f json.awk FILE
#
# A part of the pointer is a key, an index from 0, "*" for all, or members that a list item or its
# `asked` must have.

function is_key() { return kind[depth] == "{" && wants_key[depth] }

# Called at the start of each value; in a list, assigns the next index.
function begin_value() { if (kind[depth] == "[") at[depth] = count[depth]++ }

function place(to,   i, text) {
  for (i = 1; i <= to; ++i) text = text "/" at[i]
  return text
}

function plain(token) {
  if (token !~ /^"/) return token
  token = substr(token, 2, length(token) - 2)
  gsub(/\\"/, "\"", token)
  gsub(/\\\\/, "\\", token)
  return token
}

function take(token) {
  if (token == "{" || token == "[") {
    begin_value()
    kind[++depth] = token
    count[depth] = 0
    wants_key[depth] = 1
  } else if (token == "}" || token == "]") {
    --depth
  } else if (token == ",") {
    wants_key[depth] = 1
  } else if (token != ":" && is_key()) {
    at[depth] = plain(token)
    wants_key[depth] = 0
  } else if (token != ":") {
    begin_value()
    places[++values] = place(depth)
    value_at[places[values]] = plain(token)
  }
}

{
  line = $0
  while (match(line, /"([^"\\]|\\.)*"|[][{}:,]|[^][{}:, \t\r"]+/)) {
    take(substr(line, RSTART, RLENGTH))
    line = substr(line, RSTART + RLENGTH)
  }
}

# Returns whether the item at a place has the members, e.g. "model=cnn,batch_size=128".
function has_members(item, members,   part, i, n, equals, key, value) {
  n = split(members, part, ",")
  for (i = 1; i <= n; ++i) {
    equals = index(part[i], "=")
    key = substr(part[i], 1, equals - 1)
    value = substr(part[i], equals + 1)
    if (value_at[item "/" key] != value && value_at[item "/asked/" key] != value) return 0
  }
  return 1
}

function matches(found,   part, i, n, item) {
  n = split(found, part, "/")
  if (n != wanted_parts) return 0
  for (i = 2; i <= n; ++i) {
    item = item "/" part[i]
    if (wanted[i] ~ /=/ ? !has_members(item, wanted[i]) : wanted[i] != "*" && wanted[i] != part[i]) return 0
  }
  return 1
}

END {
  wanted_parts = split(pointer, wanted, "/")
  for (i = 1; i <= values; ++i) if (matches(places[i])) print value_at[places[i]]
}
