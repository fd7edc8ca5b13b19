# Draws the first block of a Markdown file that is a table of cases, as a terminal shows it: SVG. Run with LC_ALL=C; of each
# character the first byte alone is counted. Each line is told its length, so that columns stay in line in any font.
# usage: LC_ALL=C awk -v command='gpubench suite quick' -f table.awk README.md

function columns_of(text) {
  gsub(/[\200-\277]/, "", text)
  return length(text)
}

function escaped(text) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/>/, "\\&gt;", text)
  return text
}

function draw(text, y, class) {
  if (text == "") return
  printf "<text x=\"%d\" y=\"%d\" textLength=\"%.1f\" xml:space=\"preserve\"%s>%s</text>\n",
    margin, y, columns_of(text) * width, class, escaped(text)
}

BEGIN { width = 7.8; height = 20; margin = 18; bar = 34 }
/^```/ { if (is_table) exit; is_code = !is_code; is_first = is_code; next }
is_first { is_table = /^model +batch /; is_first = 0 }
is_table {
  lines[++count] = $0
  if (columns_of($0) > widest) widest = columns_of($0)
}
END {
  if (count == 0) {
    print "gpubench: " FILENAME ": no block begins as a table of cases does" >"/dev/stderr"
    exit 1
  }
  right = 2 * margin + widest * width
  bottom = bar + (count + 2.4) * height
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n",
    right, bottom, right, bottom
  printf "<title>%s: the table in a terminal</title>\n", escaped(command)
  print "<style>"
  print ":root { --paper: #ffffff; --bar: #eef1f4; --ink: #1c2128; --dim: #57606a; --rule: #c9d1d9; }"
  print "@media (prefers-color-scheme: dark) {"
  print "  :root { --paper: #14171c; --bar: #22272f; --ink: #e6eaef; --dim: #a3adb8; --rule: #343b45; }"
  print "}"
  print "text { font: 13px ui-monospace, \"SF Mono\", Menlo, Consolas, \"DejaVu Sans Mono\", monospace; fill: var(--ink); }"
  print ".dim { fill: var(--dim); }"
  print ".head { font-weight: bold; }"
  print "</style>"
  printf "<rect x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"var(--paper)\" stroke=\"var(--rule)\"/>\n",
    right - 1, bottom - 1
  printf "<path d=\"M1 %d V8 a7 7 0 0 1 7 -7 H%d a7 7 0 0 1 7 7 V%d z\" fill=\"var(--bar)\"/>\n", bar, right - 8, bar
  for (i = 0; i < 3; ++i)
    printf "<circle cx=\"%d\" cy=\"%d\" r=\"5.5\" fill=\"var(--rule)\"/>\n",
      margin + 6 + 19 * i, bar / 2 + 1
  y = bar + height * 1.4
  draw("$ " command, y, " class=\"dim\"")
  for (i = 1; i <= count; ++i) draw(lines[i], y + i * height, i == 1 ? " class=\"head\"" : "")
  print "</svg>"
}
