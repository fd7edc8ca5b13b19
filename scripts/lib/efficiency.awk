# Lines of efficiency by ranks.

BEGIN { unit = 1 }

NR > 1 && (kind = kind_of(cell("figure"))) && cell("value") != "" {
  drawn[cell("contender")]
  share = kind == "weak" ? ", batch " cell("batch") / cell("ranks") " a rank" : ", batch " cell("batch")
  add_point(title_of_row() ", " kind share, machine[cell("contender")], cell("contender"), name_in("file"), cell("ranks") + 0,
            100 * cell("value"))
}

# Of "weak_efficiency"; empty for other figures.
function kind_of(name) { return sub(/_efficiency$/, "", name) ? name : "" }

END {
  check_files()
  if (!points) refuse("no file has a case of one rank and the same of several; name what gpubench suite scale -o FILE writes")
  if (!is_refused) {
    draw_lines("Efficiency of several ranks" published_line(drawn), "ranks", "efficiency [%]")
    write("variables", "is_linear = 1; low = 0; high = " max(105, 1.05 * greatest_y()) "; ticks = '0 20 40 60 80 100 120 140 160 180 200'")
  }
}

function greatest_y(  i, greatest) {
  for (i = 1; i <= points; i++) greatest = max(greatest, point_y[i])
  return greatest
}
