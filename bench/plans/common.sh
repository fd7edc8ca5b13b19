# shellcheck shell=bash
# What the plans share. A plan is a script of `gpubench ab` calls; bench/README.md says what it reads from the environment.

: "${GPUBENCH:?the program to measure, such as build/release/gpubench}"
RESULTS=${RESULTS:-results/$(basename "$0" .sh)}
ROUNDS=${ROUNDS:-11}

# versus NAME WORDS...: measures the sides of WORDS in turns; NAME-a.json and so on are their documents. What is there already goes on
# where it was.
versus() {
  local name=$1
  shift
  [[ $name == *"${ONLY:-}"* ]] || return 0
  echo
  echo "== $name"
  local place="$RESULTS/${name// /-}"
  if [[ -e $place-a.json ]]; then
    "$GPUBENCH" ab --resume "$place-a.json" --rounds "$ROUNDS" || echo "$name: exit code $?" >&2
  else
    "$GPUBENCH" ab -o "$place" --rounds "$ROUNDS" "$@" || echo "$name: exit code $?" >&2
  fi
}

# The documents of each side as one, and those beside each other: the geometric mean over the cases. Cases that a side lacks are left out.
summary() {
  local letter all=()
  for letter in a b c d e f; do
    compgen -G "$RESULTS/*-$letter.json" >/dev/null || continue
    mkdir -p "$RESULTS/all"
    jq -s '.[0] + {results: map(.results[])} | del(.content_sha256)' "$RESULTS"/*-"$letter.json" >"$RESULTS/all/$letter.json"
    all+=("$RESULTS/all/$letter.json")
  done
  echo
  echo "== all cases"
  "$GPUBENCH" compare "${all[@]}"
}
