# Ratios of one figure, `wanted`, and their averages. A series is what stands in one colour: a contender against another one,
# or in another precision.

NR > 1 && cell("figure") == wanted { read_ratio() }

function read_ratio(  series, precision) {
  # Cases tell their precision whatever the figure is; it is a part of the name where the figure is about it.
  precision = wanted == "precision_gain" ? cell("precision") : ""
  series = place_in("series", cell("contender") SUBSEP cell("against") SUBSEP precision)
  contender_of[series] = cell("contender")
  base_of[series] = cell("against")
  precision_of[series] = precision
  if (cell("scope") == "case") {
    drawn[cell("contender")]
    drawn[cell("against")]
    add_bar(series, place_in("titles", title_of_row()), cell("batch") + 0, cell("value") + 0)
    return
  }
  if (cell("scope") == "all") {
    cases[series] = cell("cases")
    mean_of[series] = cell("value")
  }
  add_average(series, cell("scope") == "all" ? "overall" : title_of_row())
}

function add_bar(series, title, batch, ratio) {
  if (!((title, batch) in is_known_batch)) batches[title, ++batch_count[title]] = batch
  is_known_batch[title, batch]
  ratio_at[series, title, batch] = ratio
  least = bar_count ? min(least, ratio) : ratio
  greatest = bar_count ? max(greatest, ratio) : ratio
  ++bar_count
}

function add_average(series, title) {
  if (cell("cases") == 0) return
  ++average_count
  average_series[average_count] = series
  average_title[average_count] = title
  average[average_count, 1] = cell("cases")
  average[average_count, 2] = cell("mean")
  average[average_count, 3] = cell("min")
  average[average_count, 4] = cell("max")
  average[average_count, 5] = cell("value")
}

# Whether all are held against one baseline, which then needs to be named once only.
function has_one_base(  i) {
  for (i = 2; i <= count["series"]; i++) if (base_of[i] != base_of[1]) return 0
  return 1
}

function label_of(series,  contender, base) {
  contender = contender_of[series]
  base = base_of[series]
  if (wanted == "precision_gain") return clean(precision_of[series]) ", " full_name(contender)
  if (wanted == "gpu_benefit") return device[contender] " over " device[base] place[contender] source_of(contender)
  return full_name(contender) (has_one_base() ? "" : " over " full_name(base))
}

# Of the contender, which is called `who`.
function note_unmatched(series, contender, precision, who, other,  left) {
  left = good[contender, precision] - cases[series]
  if (left > 0) note(left " case(s) of " who " have no counterpart in those of " other " and are left out")
}

function note_series(  i, base, other, base_precision) {
  base_precision = wanted == "precision_gain" ? "fp32" : ""
  for (i = 1; i <= count["series"]; i++) {
    base = full_name(base_of[i])
    other = full_name(contender_of[i])
    if (base_precision != "") {
      base = base_precision ", " base
      other = clean(precision_of[i]) ", " other
    }
    note_unmatched(i, base_of[i], base_precision, base, other)
    note_unmatched(i, contender_of[i], precision_of[i], other, base)
  }
}

function check_ratios(  i) {
  check_files()
  for (i = 1; i <= count["series"]; i++) {
    if (cases[i] > 0) continue
    refuse(full_name(contender_of[i]) " and " full_name(base_of[i]) " have no case in common" \
           " (model, sizes, dataset, batch, samples, precision and modes); run the same cases on both")
  }
  if (count["series"]) return
  if (wanted == "gpu_benefit")
    refuse("no file has a case of a CPU and of another device; run gpubench with --device cpu,cuda or cpu,mps")
  if (wanted == "precision_gain")
    refuse("no case was measured in fp32 and in another precision on one device; run gpubench with --precision fp32,amp-bf16")
  refuse("the only device in the files is " machine[contenders[1]] "; name a second result file")
}
