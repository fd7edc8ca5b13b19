# What all charts share. They read what `gpubench compare --figures` prints, and leave files for gnuplot in the
# working folder; what is to be told goes into `notes`, and why there is no chart into `refusal`.

function clean(text) {
  # Names end up in charts, on terminals and in tables, where nothing is to read like markup, a command or a formula.
  gsub(/[!"#$%&'*;<>?\[\\\]^`{|}~]+/, "_", text)
  sub(/^[=+@-]+/, "_", text)
  if (length(text) > 60) {
    text = substr(text, 1, 60)
    sub(/[\300-\377][\200-\277]*$/, "", text)
  }
  return text
}

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }

function cell(name) { return $column[name] }
function name_in(column_name) { return clean(cell(column_name)) }

function place_of(host, publication) {
  if (publication != "") return " (published)"
  return host == "" ? " on unnamed host" : " on " host
}

function write(file, text) { print text > file }
function note(text) { write("notes", text) }
function refuse(text) { if (!is_refused) write("refusal", text); is_refused = 1 }

# What has no figure, and why: `what` is in words.
function leave_out(what) {
  note(name_in("file") ": " what " is left out: " name_in("status") \
       (cell("status_message") == "" ? "" : ": " substr(cell("status_message"), 1, 200)))
}

function check_files(  file) {
  for (file in files) {
    if (!(file in has_figure)) refuse(file ": no case ended well; leave the file out, or run its cases again")
  }
}

# The place of `item` in list[1..count[list_name]], where it is put if it is new.
function place_in(list_name, item) {
  if (!((list_name, item) in places_in)) {
    places_in[list_name, item] = ++count[list_name]
    items[list_name, count[list_name]] = item
  }
  return places_in[list_name, item]
}

function sort(list, size,  i, j, item) {
  for (i = 2; i <= size; i++) {
    item = list[i]
    for (j = i - 1; j > 0 && list[j] + 0 > item + 0; j--) list[j + 1] = list[j]
    list[j + 1] = item
  }
}

function max(a, b) { return a > b ? a : b }
function min(a, b) { return a < b ? a : b }
function ceil(x) { return int(x) < x ? int(x) + 1 : int(x) }
function floor(x) { return -ceil(-x) }

# gnuplot takes no exponent from a word of a list.
function number(x,  text) {
  text = sprintf("%.12g", x)
  if (text !~ /e/) return text
  text = sprintf("%.18f", x)
  sub(/\.?0+$/, "", text)
  return text
}

# Three digits; `figure` keeps the points of a column below each other.
function figure(x) { return sprintf(x >= 100 ? "%.0f" : x >= 10 ? "%.1f" : x >= 0.1 ? "%.2f" : "%.3f", x) }
function short(x) { return number(figure(x)) }

# Limits of a logarithmic axis that leave room around the data: shares of the axis below and above.
function set_limits(least, greatest, below, above,  length_) {
  length_ = log(max(greatest / least, 1.2))
  low = exp(log(least) - below * length_)
  high = exp(log(greatest) + above * length_)
}

# Ticks from `low` to `high`: the finer, the closer these are.
function ticks(  span, steps, step, power, i, n, value, all) {
  span = high / low
  if (span > 8) steps = "1 2 5"
  else if (span > 3) steps = "1 1.5 2 3 5 7"
  else if (span > 1.5) steps = "1 1.2 1.4 1.6 1.8 2 2.5 3 3.5 4 5 6 7 8 9"
  else steps = "1 1.1 1.2 1.3 1.4 1.5 1.6 1.8 2 2.25 2.5 2.75 3 3.5 4 4.5 5 5.5 6 6.5 7 7.5 8 8.5 9 9.5"
  n = split(steps, step, " ")
  for (power = floor(log(low) / log(10)); power <= ceil(log(high) / log(10)); power++) {
    for (i = 1; i <= n; i++) {
      value = step[i] * exp(power * log(10))
      if (value >= low * 0.9999 && value <= high * 1.0001) all = all " " number(value)
    }
  }
  return "ticks = '" substr(all, 2) "'"
}
