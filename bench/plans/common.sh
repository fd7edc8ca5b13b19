# shellcheck shell=bash disable=SC2034
# Shared by the plans, scripts of `gpubench ab` calls. bench/README.md lists their variables.

: "${GPUBENCH:?is not set; give the program, such as build/release/gpubench}"
RESULTS=${RESULTS:-results/$(basename "$0" .sh)}
ROUNDS=${ROUNDS:-11}
peers=$(dirname "${BASH_SOURCE[0]}")/../peers
# As an expert would: glibc keeps freed memory, so that tensors do not repeat page faults.
expert="env MALLOC_MMAP_THRESHOLD_=8589934592 MALLOC_TRIM_THRESHOLD_=8589934592 MALLOC_TOP_PAD_=268435456"

# versus NAME WORDS...: runs `gpubench ab WORDS`, with the results in NAME-a.json, NAME-b.json, ...
# Continues an earlier run.
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

# summary: compares the variants over all cases that they have in common, with the geometric mean.
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
