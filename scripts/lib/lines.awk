# From points to the files of lines.gnuplot.

# A point of a line called `title`; `source` tells the files of one machine apart.
function add_point(title, machine_name, source, file, x, y,  line) {
  line = title SUBSEP machine_name
  if ((line, x) in source_at && source_at[line, x] != source) is_doubled[line]
  source_at[line, x] = source
  ++points
  point_title[points] = title
  point_machine[points] = machine_name
  point_file[points] = file
  point_x[points] = x
  point_y[points] = y
}

# Points of one machine are one line, unless several files have the same x.
function name_machines(  i, t, m, is_told) {
  for (i = 1; i <= points; i++) {
    is_told = (point_title[i] SUBSEP point_machine[i]) in is_doubled
    t = place_in("titles", point_title[i])
    m = place_in("machines", point_machine[i] (is_told ? " (" point_file[i] ")" : ""))
    point_of[t, m, ++size[t, m]] = i
  }
}

# A line as a block of the file; its points from left to right.
function write_line(t, m,  i, j, n, order, point, name) {
  n = size[t, m]
  for (i = 1; i <= n; i++) {
    point = point_of[t, m, i]
    for (j = i; j > 1 && point_x[order[j - 1]] > point_x[point]; j--) order[j] = order[j - 1]
    order[j] = point
  }
  name = items["titles", t] ", " items["machines", m]
  longest = max(longest, length(name))
  write("lines", name)
  for (i = 1; i <= n; i++) write("lines", point_x[order[i]] "\t" number(point_y[order[i]] / unit))
  write("lines", "\n")
}

# As many of all x as an axis has room for, evenly.
function steps(  i, n, all, seen, step, words) {
  for (i = 1; i <= points; i++) {
    if (!(point_x[i] in seen)) all[++n] = point_x[i]
    seen[point_x[i]]
  }
  sort(all, n)
  left = all[1]
  right = all[n]
  step = ceil(n / 12)
  for (i = 1; i <= n; i += step) words = words " " all[i]
  return "steps = '" substr(words, 2) "'"
}

# The colour says the title, the dashes the machine; with a single title the machines get the colours.
function draw_lines(heading, xlabel, ylabel,  i, m, t, colours, styles, line_count, least, greatest, width, height) {
  name_machines()
  for (m = 1; m <= count["machines"]; m++) {
    for (t = 1; t <= count["titles"]; t++) {
      if (!((t, m) in size)) continue
      write_line(t, m)
      colours = colours " " (count["titles"] > 1 ? t : m)
      styles = styles " " m
      ++line_count
    }
  }
  least = greatest = point_y[1]
  for (i = 2; i <= points; i++) {
    least = min(least, point_y[i])
    greatest = max(greatest, point_y[i])
  }
  set_limits(least / unit, greatest / unit, 0.06, 0.06)
  write("title", heading)
  write("xlabel", xlabel)
  write("ylabel", ylabel)
  width = 680 + 8 * longest
  height = max(520, 160 + 23 * line_count)
  write("variables", "width = " width "; height = " height "; low = " number(low) "; high = " number(high))
  write("variables", steps())
  write("variables", "left = " left "; right = " right)
  write("variables", ticks())
  write("variables", "colours = '" substr(colours, 2) "'; styles = '" substr(styles, 2) "'")
}
