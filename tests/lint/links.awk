# Of Markdown files: links to files that are not there, and to headings that no file has. Run in the repository.

# As GitHub makes an anchor of a heading.
function anchor_of(heading) {
  heading = tolower(heading)
  gsub(/`|\*|\[|\]\([^)]*\)/, "", heading)
  gsub(/[^a-z0-9 _-]/, "", heading)
  gsub(/ /, "-", heading)
  return heading
}

function folder_of(path) { return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) "/" : "" }

function tidied(path) {
  while (sub(/[^\/]+\/\.\.\//, "", path)) {}
  return path
}

function is_there(path) { return system("test -e '" path "'") == 0 }

FNR == 1 { is_code = 0 }
/^ *```/ { is_code = !is_code }
is_code { next }
/^#+ / {
  heading = $0
  sub(/^#+ /, "", heading)
  anchors[FILENAME "#" anchor_of(heading)] = 1
}
{
  line = $0
  gsub(/`[^`]*`/, "", line)
  while (match(line, /\]\([^)]+\)/)) {
    target = substr(line, RSTART + 2, RLENGTH - 3)
    line = substr(line, RSTART + RLENGTH)
    if (target ~ /^(https?:|mailto:)/) {
      if (target ~ /^http:/) { print FILENAME ":" FNR ": " target " is not https"; status = 1 }
      continue
    }
    links[++count] = FILENAME "\t" FNR "\t" target
  }
}
END {
  for (i = 1; i <= count; ++i) {
    split(links[i], link, "\t")
    path = link[3]
    anchor = ""
    if (match(path, /#/)) { anchor = substr(path, RSTART + 1); path = substr(path, 1, RSTART - 1) }
    path = path == "" ? link[1] : tidied(folder_of(link[1]) path)
    if (!is_there(path)) { print link[1] ":" link[2] ": there is no " path; status = 1 }
    else if (anchor != "" && path ~ /\.md$/ && !((path "#" anchor) in anchors)) {
      print link[1] ":" link[2] ": " path " has no heading #" anchor
      status = 1
    }
  }
  exit status
}
