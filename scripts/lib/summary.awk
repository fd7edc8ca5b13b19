# Averages of ratios: a table, and the files of summary.gnuplot.

function join_averages(i, from, as_text,  j, text) {
  for (j = from; j <= 5; j++) text = text "\t" (as_text && j > 1 ? figure(average[i, j]) : average[i, j])
  return text
}

function write_tsv(  i) {
  write("tsv", "device\tmodel\tcount\tavg\tmin\tmax\tgeometric_mean")
  for (i = 1; i <= average_count; i++) {
    write("tsv", label_of(average_series[i]) "\t" average_title[i] join_averages(i, 1, 0))
  }
}

# Words to the left, numbers to the right of their columns.
function write_table(title,  i, j, n, lines, cells, width, line) {
  lines[0] = "device\tmodel\tcount\tavg\tmin\tmax\tgeometric mean"
  for (i = 1; i <= average_count; i++)
    lines[i] = label_of(average_series[i]) "\t" average_title[i] join_averages(i, 1, 1)
  for (i = 0; i <= average_count; i++) {
    n = split(lines[i], cells, "\t")
    for (j = 1; j <= n; j++) width[j] = max(width[j], length(cells[j]))
  }
  write("table", title "\n")
  for (i = 0; i <= average_count; i++) {
    n = split(lines[i], cells, "\t")
    line = ""
    for (j = 1; j <= n; j++) line = line (j > 1 ? "  " : "") sprintf(j < 3 ? "%-" width[j] "s" : "%" width[j] "s", cells[j])
    write("table", line)
  }
  write("table", "\nratio: epoch time of the baseline / epoch time of the device, medians; above 1 the device is faster")
  write("table", "avg: arithmetic mean of the ratios of a model over its batch sizes; geometric mean: n-th root of their product")
  write("table", "overall: the same over the ratios of all models and batch sizes")
}

# Models from top to bottom, and under each a line for each device.
function y_of(group, series) { return -((group - 1) * (count["series"] + 0.8) + series - 1) }

function write_ranges(series,  i, group, y) {
  write("ranges", label_of(series))
  for (i = 1; i <= average_count; i++) {
    if (average_series[i] != series) continue
    group = place_in("groups", average_title[i])
    y = y_of(group, series)
    bottom = min(bottom, y)
    if (!(group in first_y)) first_y[group] = y
    last_y[group] = y
    write("ranges", number(y) join_averages(i, 2, 0) "\t" average[i, 1] join_averages(i, 2, 1))
  }
  write("ranges", "\n")
}

function draw_summary(title,  s, g, longest) {
  # The one over all models comes last.
  for (s = 1; s <= count["titles"]; s++) place_in("groups", items["titles", s])
  place_in("groups", "overall")
  for (s = 1; s <= count["series"]; s++) write_ranges(s)
  for (g = 1; g <= count["groups"]; g++) {
    longest = max(longest, length(items["groups", g]))
    write("names", number((first_y[g] + last_y[g]) / 2) "\t" items["groups", g])
  }
  set_limits(min(least, 1), max(greatest, 1), 0.06, 0.06)
  # The headings of the figures stand in the empty line.
  write("title", title "\n")
  write("variables", "width = " 860 + 8 * longest "; height = " ceil(250 + 24 * (count["series"] - bottom)))
  write("variables", "series = " count["series"] "; low = " number(low) "; high = " number(high) "; bottom = " number(bottom - 0.8))
  write("variables", ticks())
}

END {
  check_ratios()
  if (!is_refused) {
    note_series()
    title = "Speed ratio over " (has_one_base() ? full_name(base_of[1]) : "the first file") published_line(drawn)
    write_tsv()
    write_table(title)
    draw_summary(title)
  }
}
