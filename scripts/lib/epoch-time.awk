# Lines of epoch time by batch size.

BEGIN { unit = 1 }

NR > 1 && cell("figure") == "epoch_seconds" && cell("value") != "" {
  drawn[cell("contender")]
  add_point(title_of_row(), machine[cell("contender")], cell("contender"), name_in("file"), cell("batch") + 0, cell("value") + 0)
}

END {
  check_files()
  if (!is_refused) {
    draw_lines("Training time of an epoch by batch size" published_line(drawn), "batch size [samples]", "median epoch [s]")
  }
}
