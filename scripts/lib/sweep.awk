# Lines of FLOP/s by size, of square matrix products.

NR > 1 && cell("figure") == "flops_per_second" && cell("op") == "matmul" && side() {
  files[name_in("file")]
  if (cell("value") == "") {
    leave_out(side() " x " side() " in " name_in("type") " on " name_in("device"))
  } else {
    has_figure[name_in("file")]
    add_point(name_in("variant"), name_in("device") place_of(name_in("host"), cell("publication")), cell("file"), name_in("file"),
              side(), cell("value") + 0)
  }
}

# Of "256x256 256x256"; 0 for other sizes.
function side(  n) {
  n = cell("sizes") + 0
  return n > 0 && cell("sizes") == n "x" n " " n "x" n ? n : 0
}

END {
  check_files()
  if (!points) refuse("no file has square matrix products; name what gpubench ops --sweep 256:4096:*2 -o FILE writes")
  if (!is_refused) {
    unit = 1e9
    for (i = 1; i <= points; i++) if (point_y[i] >= 1e12) unit = 1e12
    draw_lines("Square matrix products", "rows and columns of each matrix", "rate [" (unit == 1e12 ? "TFLOP/s" : "GFLOP/s") "]")
  }
}
