# Rows about runs: who is compared, and what is left out.

NR > 1 { read_contender() }

function read_contender(  contender) {
  contender = cell("contender")
  if (!(contender in machine)) {
    device[contender] = name_in("device")
    place[contender] = place_of(name_in("host"), cell("publication"))
    machine[contender] = device[contender] place[contender]
    file_of[contender] = name_in("file")
    is_published[contender] = cell("publication") != ""
    contenders[++contender_count] = contender
    ++machines[machine[contender]]
    files[file_of[contender]]
  }
  if (cell("figure") != "epoch_seconds") return
  if (cell("value") == "") {
    leave_out(case_words())
  } else {
    has_figure[file_of[contender]]
    # How many there are, in all and of each precision.
    ++good[contender, ""]
    ++good[contender, cell("precision")]
  }
}

function case_words(  words) {
  words = name_in("model") (cell("sizes") == "" ? "" : " (" name_in("sizes") ")") " on " name_in("device")
  words = words ", " name_in("dataset") ", batch " cell("batch")
  return words (cell("precision") == "fp32" ? "" : ", " name_in("precision"))
}

function title_of_row() { return name_in("model") (cell("variant") == "" ? "" : " (" name_in("variant") ")") }

# The file, where two contenders have one name.
function source_of(contender) { return machines[machine[contender]] > 1 ? " (" file_of[contender] ")" : "" }
function full_name(contender) { return machine[contender] source_of(contender) }

# A line below the title of a chart with published figures of a contender in `drawn`.
function published_line(drawn,  i, contender, names) {
  for (i = 1; i <= contender_count; i++) {
    contender = contenders[i]
    if (!is_published[contender] || !(contender in drawn) || (file_of[contender] in published_files)) continue
    published_files[file_of[contender]]
    names = names ", " file_of[contender]
  }
  return names == "" ? "" : "\n(published, other protocol): " substr(names, 3)
}
