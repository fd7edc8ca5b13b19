# Of sources, headers and CMakeLists.txt below include, src and models: a line for each include of a folder that is not under NEEDS, and
# for files that include each other in a circle. The names of the files are arguments and relative to the root.

# "core/text" of "include/gpubench/core/text/utf8.h"; empty for a contract of plug-ins, which every folder may include.
function folder_of(file) {
  sub(/^include\/gpubench\//, "", file) || sub(/^src\//, "", file)
  return sub(/\/[^\/]*$/, "", file) ? file : ""
}

BEGIN { for (i = 1; i < ARGC; ++i) is_file[ARGV[i]] }
FILENAME ~ /CMakeLists\.txt$/ { text[folder_of(FILENAME)] = text[folder_of(FILENAME)] " " $0; next }
/^#include "/ {
  split($0, part, "\"")
  split("include/ src/ models/", bases, " ")
  for (i in bases) if ((bases[i] part[2]) in is_file) includes[FILENAME] = includes[FILENAME] " " bases[i] part[2]
}

function check_need(from, to,   own, other) {
  own = folder_of(from)
  other = folder_of(to)
  if (own == "" || other == "" || own == other || (own, other) in is_need || from ~ /^include/ && !(own in text)) return
  print from " includes " to ", but the CMakeLists.txt of " own " has no NEEDS " other
  status = 1
}

# A header and the source of its name are one.
function stem_of(file) {
  sub(/^include\/gpubench\//, "", file) || sub(/^src\//, "", file)
  sub(/\.[a-z]*$/, "", file)
  return file
}

function visit(stem,   next_stems, count, i) {
  state[stem] = "open"
  count = split(edges[stem], next_stems, " ")
  for (i = 1; i <= count; ++i) {
    if (state[next_stems[i]] == "open" && next_stems[i] != stem) {
      print stem " and " next_stems[i] " include each other"
      status = 1
    }
    if (state[next_stems[i]] == "") visit(next_stems[i])
  }
  state[stem] = "closed"
}

END {
  for (folder in text) {
    while (match(text[folder], /NEEDS( +[a-z0-9_][a-z0-9_\/]*)+/)) {
      count = split(substr(text[folder], RSTART, RLENGTH), needs, / +/)
      for (i = 2; i <= count; ++i) is_need[folder, needs[i]]
      text[folder] = substr(text[folder], RSTART + RLENGTH)
    }
  }
  for (file in includes) {
    count = split(includes[file], to, " ")
    for (i = 1; i <= count; ++i) {
      check_need(file, to[i])
      edges[stem_of(file)] = edges[stem_of(file)] " " stem_of(to[i])
    }
  }
  for (stem in edges) if (state[stem] == "") visit(stem)
  exit status
}
