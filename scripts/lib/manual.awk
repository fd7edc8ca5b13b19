# A page of docs/, as cmark-gfm turns it into the macros of man(7), as a manual page of section 7.
# usage: cmark-gfm -e table -t man docs/PAGE.md | awk -v page=PAGE -v date=DATE -v version=VERSION -f manual.awk

# Fonts as all formatters know them, and links to other pages by their names in the manual.
function plain(text, target) {
  gsub(/\\f\[C\]/, "\\fB", text)
  gsub(/\\f\[I\]/, "\\fI", text)
  gsub(/\\f\[B\]/, "\\fB", text)
  gsub(/\\f\[\]/, "\\fR", text)
  while (match(text, / \([a-z\\-]+\.md(#[^)]*)?\)/)) {
    target = substr(text, RSTART + 2, RLENGTH - 3)
    sub(/\.md.*/, "", target)
    text = substr(text, 1, RSTART - 1) " (gpubench\\-" target "(7))" substr(text, RSTART + RLENGTH)
  }
  # Where the name of the page's file was the link's text.
  while (match(text, /[a-z\\-]+\.md \(gpubench/)) text = substr(text, 1, RSTART - 1) "(gpubench" substr(text, RSTART + RLENGTH)
  gsub(/ \(#[a-z0-9\\-]+\)/, "", text)
  return text
}

# Cells are wrapped, the first column as little as can be.
function table_row(line, cells, count, i, row) {
  count = split(line, cells, "@")
  for (i = 1; i <= count; ++i) row = row (i > 1 ? "@" : "") (cells[i] == "" ? "" : "T{\n" cells[i] "\nT}")
  return row
}

BEGIN {
  name = "gpubench-" page
  gsub(/-/, "\\-", name)
  printf "'\\\" t\n.TH %s 7 \"%s\" \"gpubench %s\" \"\"\n", toupper("gpubench-" page), date, version
}
NR == 1 && /^\.SH/ { is_title = 1; next }
is_title { printf ".SH NAME\n%s \\- %s\n.SH DESCRIPTION\n", name, $0; is_title = 0; is_first = 1; next }
# A paragraph that begins a section needs no macro.
is_first && /^\.PP/ { is_first = 0; next }
is_heading { is_heading = 0; is_first = 1; print plain($0); next }
{ is_first = 0 }
/^\.S[HS]$/ { is_heading = 1 }
/^\.TS/ { is_table = 1 }
/^\.TE/ { is_table = 0 }
is_table && /^tab\(@\);/ { print "allbox tab(@);"; next }
is_table && /^[lcr]+\.$/ { count = length($0) - 1; row = "l"; for (i = 2; i <= count; ++i) row = row " lx"; print row "."; next }
is_table && !/^\./ { print table_row(plain($0)); next }
{ print plain($0) }
