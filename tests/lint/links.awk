# Reports links in Markdown files to missing files and headings. Run at the repository's root.

# Returns the anchor of a heading, as GitHub computes it.
function make_anchor(heading) {
  heading = tolower(heading)
  gsub(/`|\*|\[|\]\([^)]*\)/, "", heading)
  gsub(/[^a-z0-9 _-]/, "", heading)
  gsub(/ /, "-", heading)
  return heading
}

function find_folder(path) { return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) "/" : "" }

function normalize(path) {
  while (sub(/[^\/]+\/\.\.\//, "", path)) {}
  return path
}

function exists(path) { return system("test -e '" path "'") == 0 }

FNR == 1 { is_code = 0 }
/^ *```/ { is_code = !is_code }
is_code { next }
/^#+ / {
  heading = $0
  sub(/^#+ /, "", heading)
  anchors[FILENAME "#" make_anchor(heading)] = 1
}
{
  line = $0
  gsub(/`[^`]*`/, "", line)
  while (match(line, /\]\([^)]+\)/)) {
    target = substr(line, RSTART + 2, RLENGTH - 3)
    line = substr(line, RSTART + RLENGTH)
    if (target ~ /^(https?:|mailto:)/) {
      if (target ~ /^http:/) { print FILENAME ":" FNR ": " target " is not https; use https"; status = 1 }
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
    path = path == "" ? link[1] : normalize(find_folder(link[1]) path)
    if (!exists(path)) { print link[1] ":" link[2] ": " path " is missing; correct the link"; status = 1 }
    else if (anchor != "" && path ~ /\.md$/ && !((path "#" anchor) in anchors)) {
      print link[1] ":" link[2] ": " path " has no heading #" anchor "; correct the link"
      status = 1
    }
  }
  exit status
}
