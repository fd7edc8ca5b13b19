# Compares values with bounds: awk -v bounds=0.9..1.1 -v operator= -f bounds.awk
#
# Reads one value per line from stdin. Prints "passed", "FAILED" or "shown", a tab, and a value: the
# first one out of bounds, the only one, or the number of values. Bounds: "low..high" (one end may
# be missing), "=ok,unsupported" (one of these), "~text" (contains it), "shown" (no bounds). With
# the operator "/" or "-", stdin is a value, a line with the operator, and another value.

function is_number(text) { return text ~ /^[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$/ }

function is_within(text,   part, i, n) {
  if (bounds == "shown") return 1
  if (bounds ~ /^~/) return index(text, substr(bounds, 2)) > 0
  if (bounds ~ /^=/) {
    n = split(substr(bounds, 2), part, ",")
    for (i = 1; i <= n; ++i) if (text == part[i]) return 1
    return 0
  }
  i = index(bounds, "..")
  return is_number(text) && (i == 1 || text + 0 >= substr(bounds, 1, i - 1) + 0) &&
    (i + 2 > length(bounds) || text + 0 <= substr(bounds, i + 2) + 0)
}

{ value[++count] = $0 }

END {
  if (operator != "") {
    if (count != 3 || !is_number(value[1]) || !is_number(value[3]) || (operator == "/" && value[3] == 0)) count = 0
    else {
      value[1] = sprintf("%.6g", operator == "/" ? value[1] / value[3] : value[1] - value[3])
      count = 1
    }
  }
  if (count == 0) { print "FAILED\tno value"; exit }
  for (i = 1; i <= count; ++i) {
    if (is_within(value[i])) continue
    print "FAILED\t" value[i]
    exit
  }
  print (bounds == "shown" ? "shown" : "passed") "\t" (count == 1 ? value[1] : count " values")
}
