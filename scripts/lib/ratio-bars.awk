# From ratios to the files of ratio-bars.gnuplot.

# Where there are many bars side by side they become narrow, and their figures stand upright.
function has_many_bars(  t, all) {
  for (t = 1; t <= count["titles"]; t++) all += batch_count[t]
  return count["series"] > 1 && count["series"] * all > 32
}

# The words of a title, a line each: the model, and what tells its cases apart.
function lines_of(title,  text) {
  text = items["titles", title]
  sub(/ \(/, ", ", text)
  sub(/\)$/, "", text)
  return split(text, title_line, ", ")
}

# A place for each model and batch size, in rows of about `longest`. Groups stand apart, and are as wide as their name
# needs it; `pixels` has the axis for 1.
function set_places(pixels, longest,  t, i, n, edge, span, width, sorted) {
  for (t = 1; t <= count["titles"]; t++) {
    n = lines_of(t)
    lines_of_names = max(lines_of_names, n)
    width = 0
    for (i = 1; i <= n; i++) width = max(width, length(title_line[i]))
    span = max(batch_count[t], width * 7.5 / pixels)
    if (edge > 0 && edge + span > longest) {
      ++row
      edge = 0
    }
    row_of[t] = row + 0
    for (i = 1; i <= batch_count[t]; i++) sorted[i] = batches[t, i]
    sort(sorted, batch_count[t])
    for (i = 1; i <= batch_count[t]; i++) {
      batches[t, i] = sorted[i]
      x_of[t, i] = edge + (span - batch_count[t] + 1) / 2 + i - 1
    }
    right = max(right, edge + span + 0.2)
    edge += span + 0.7
  }
}

# Batch sizes, and below the middle of them their model.
function write_ticks(t,  i, n, middle, name, is_told) {
  n = lines_of(t)
  for (i = 1; i <= n; i++) name = name "\\n" title_line[i]
  n = batch_count[t]
  middle = (x_of[t, 1] + x_of[t, n]) / 2
  for (i = 1; i <= n; i++) {
    is_told = n % 2 && i == (n + 1) / 2
    write("ticks", number(x_of[t, i]) "\t" batches[t, i] (is_told ? name : ""))
    if (n % 2 == 0 && i == n / 2) write("ticks", number(middle) "\t" name)
  }
}

# The bars of a series in a row. Its name stands in all rows, for the legend.
function write_bars(series, in_row, shift,  t, i, ratio) {
  write("bars", label_of(series) ": " short(mean_of[series]) " (geometric mean of " cases[series] ")")
  for (t = 1; t <= count["titles"]; t++) {
    if (row_of[t] != in_row) continue
    for (i = 1; i <= batch_count[t]; i++) {
      if (!((series, t, batches[t, i]) in ratio_at)) continue
      ratio = ratio_at[series, t, batches[t, i]]
      write("bars", number(x_of[t, i] + shift) "\t" number(ratio) "\t" short(ratio))
    }
  }
  write("bars", "\n")
}

function write_rows(width,  r, t, s) {
  for (r = 0; r <= row; r++) {
    for (t = 1; t <= count["titles"]; t++) if (row_of[t] == r) write_ticks(t)
    write("ticks", "\n")
    for (s = 1; s <= count["series"]; s++) write_bars(s, r, width * (s - 1 - (count["series"] - 1) / 2))
  }
}

function draw_bars(heading, quantity,  many, n, pixels, legend_rows, heading_lines, ignored) {
  n = count["series"]
  many = has_many_bars()
  pixels = max(42, n * (many ? 17 : 34))
  set_places(pixels, 1700 / pixels)
  write_rows(0.85 / n)
  heading = heading published_line(drawn)
  write("title", heading)
  write("quantity", quantity)
  set_limits(min(least, 1), max(greatest, 1), many ? 0.16 : 0.1, 0.16)
  legend_rows = n > 6 ? ceil(n / 2) : n
  heading_lines = split(heading, ignored, "\n")
  write("variables", "width = " ceil(max(900, 120 + pixels * right)) "; series = " n "; rows = " row + 1)
  write("variables", "lines_of_names = " lines_of_names "; right = " number(right))
  write("variables", "bar_width = " number(0.85 / n) "; upright = " many + 0 "; low = " number(low) "; high = " number(high))
  write("variables", "legend_rows = " legend_rows)
  write("variables", "heading_height = " 30 + 22 * heading_lines "; row_height = 400 + 18 * lines_of_names")
  write("variables", "height = heading_height + rows * row_height + 30 + 22 * legend_rows")
  write("variables", ticks())
}

function heading_of(  text) {
  if (wanted == "gpu_benefit") return "GPU benefit: how many times faster than the CPU of the same file"
  if (wanted == "precision_gain") return "Precision gain: what smaller number formats make of an epoch in fp32"
  text = "Speed-up over " (has_one_base() ? full_name(base_of[1]) : "the first file")
  if (count["series"] > 1) return text
  return text "\n" full_name(contender_of[1]) " is " short(mean_of[1]) " times as fast (geometric mean)"
}

function quantity_of() {
  if (wanted == "gpu_benefit") return "GPU benefit (epoch time on CPU / epoch time on GPU)"
  if (wanted == "precision_gain") return "precision gain (epoch time in fp32 / epoch time)"
  return "speed ratio (epoch time of the baseline / epoch time)"
}

END {
  check_ratios()
  if (!is_refused) {
    note_series()
    draw_bars(heading_of(), quantity_of())
  }
}
