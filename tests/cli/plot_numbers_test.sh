#!/usr/bin/env bash
# The averages that scripts show are those of the ratios in the program's rows of cases.
# usage: plot_numbers_test.sh GPUBENCH

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export GPUBENCH=$1
files=("$root/tests/fixtures/results/alpha-cpu.json" "$root/tests/fixtures/results/beta-cuda.json")

# A line for each model and for all: name, number of cases, geometric mean.
of_program() {
  "$1" compare "${files[@]}" --format tsv | awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) { if ($i == "model") model = i; if ($i == "speed_ratio") ratio = i } next }
    $ratio != "" { sum[$model] += log($ratio); count[$model]++; sum["overall"] += log($ratio); count["overall"]++ }
    END { for (name in sum) printf "%s %d %.9g\n", name, count[name], exp(sum[name] / count[name]) }' | sort
}

of_script() {
  "$root/scripts/plot-summary.sh" "${files[@]}" -o - 2>/dev/null |
    awk -F '\t' 'NR > 1 { printf "%s %d %.9g\n", $2, $3, $7 }' | sort
}

program=$(of_program "$1")
script=$(of_script)
[[ -n $program && $program == "$script" ]] && { echo "all checks passed"; exit 0; }
printf 'not the same numbers\nprogram:\n%s\nscript:\n%s\n' "$program" "$script"
exit 1
