# Reports each include of a folder that is not listed under NEEDS, and include cycles. The arguments
# are all sources, headers and CMakeLists.txt below include, src and models, relative to the root.

# Returns "core/text" for "include/gpubench/core/text/utf8.h"; empty for plug-in interfaces, which
# every folder may include.
function find_folder(file) {
  sub(/^include\/gpubench\//, "", file) || sub(/^src\//, "", file)
  return sub(/\/[^\/]*$/, "", file) ? file : ""
}

BEGIN { for (i = 1; i < ARGC; ++i) is_file[ARGV[i]] }
FILENAME ~ /CMakeLists\.txt$/ { text[find_folder(FILENAME)] = text[find_folder(FILENAME)] " " $0; next }
/^#include "/ {
  split($0, part, "\"")
  split("include/ src/ models/", bases, " ")
  for (i in bases) if ((bases[i] part[2]) in is_file) includes[FILENAME] = includes[FILENAME] " " bases[i] part[2]
}

function check_need(from, to,   own, other) {
  own = find_folder(from)
  other = find_folder(to)
  if (own == "" || other == "" || own == other || (own, other) in is_need || from ~ /^include/ && !(own in text)) return
  print from ": includes " to ", but NEEDS of " own " does not list " other "; add it to the CMakeLists.txt"
  status = 1
}

# Returns the same name for a header and its source.
function find_stem(file) {
  sub(/^include\/gpubench\//, "", file) || sub(/^src\//, "", file)
  sub(/\.[a-z]*$/, "", file)
  return file
}

function visit(stem,   next_stems, count, i) {
  state[stem] = "open"
  count = split(edges[stem], next_stems, " ")
  for (i = 1; i <= count; ++i) {
    if (state[next_stems[i]] == "open" && next_stems[i] != stem) {
      print stem ": include cycle with " next_stems[i] "; break it"
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
      edges[find_stem(file)] = edges[find_stem(file)] " " find_stem(to[i])
    }
  }
  for (stem in edges) if (state[stem] == "") visit(stem)
  exit status
}
