# usage: awk -v cases=N -f long-sweep.awk LOOKS: whether a process that has supervised so many cases has grown. A look is a line: its
# resident KiB, and its open descriptors. What it has after a tenth of its life is compared with what it has at the end. Each row that it
# keeps may cost 16 KiB, and writing the last document some MiB.

{ resident[NR] = $1; descriptors[NR] = $2 }

# The median of so many looks from one on.
function median(values, first, count,    sorted, i, j, value) {
  for (i = 0; i < count; ++i) {
    value = values[first + i]
    for (j = i; j > 0 && sorted[j - 1] > value; --j) sorted[j] = sorted[j - 1]
    sorted[j] = value
  }
  return sorted[int(count / 2)]
}

END {
  if (NR < 20) { print "too few looks: " NR; exit 1 }
  part = int(NR / 10)
  first = median(resident, part + 1, part)
  last = median(resident, NR - part + 1, part)
  bound = first + 16 * cases + 8192
  opened = median(descriptors, part + 1, part)
  left = median(descriptors, NR - part + 1, part)
  printf "long sweep of %d cases, %d looks: memory %d KiB early, %d in the middle, %d at the end (bound %d); descriptors %d, %d, %d (bound %d)\n",
    cases, NR, first, median(resident, int(NR / 2), part), last, bound, opened, median(descriptors, int(NR / 2), part), left, opened + 2
  exit last > bound || left > opened + 2
}
