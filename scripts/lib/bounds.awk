# Holds values against bounds: awk -v bounds=0.9..1.1 -v operator= -f bounds.awk, the values on stdin, a line each; prints "passed",
# "FAILED" or "told", a tab, and a value: the first that is out of bounds, or the only one, or how many there are.
# Bounds: "low..high", either end may be missing; "=ok,unsupported": one of these; "~text": has it in it; "told": none.
# With the operator "/" or "-" the stdin is a value, a line with the operator, and another value.

function is_number(text) { return text ~ /^[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$/ }

function is_within(text,   part, i, n) {
  if (bounds == "told") return 1
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
  print (bounds == "told" ? "told" : "passed") "\t" (count == 1 ? value[1] : count " values")
}
