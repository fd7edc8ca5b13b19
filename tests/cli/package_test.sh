#!/usr/bin/env bash
# The parts of scripts/package.sh that need no build: the same bytes each time, what programs may need of a system,
# where sources come from.
# shellcheck disable=SC2034  # What is sourced uses it.

# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"
# shellcheck source=scripts/lib/build.sh
source "$root/scripts/lib/build.sh"
# shellcheck source=scripts/packaging/static.sh
source "$root/scripts/packaging/static.sh"
# shellcheck source=scripts/packaging/release.sh
source "$root/scripts/packaging/release.sh"
trap 'rm -rf "$folder"' EXIT
: >"$folder/stderr"

for tool in zstd readelf; do
  if is_mac || ! have "$tool"; then
    echo "skipped: releases for Linux are made with $tool, which is not here"
    exit 77
  fi
done
export SOURCE_DATE_EPOCH=1700000000

# tree UMASK: $folder/UMASK/gpubench with a program and a text.
tree() {
  (
    umask "$1"
    mkdir -p "$folder/$1/gpubench/bin" "$folder/$1/gpubench/share"
    echo text | tee "$folder/$1/gpubench/bin/gpubench" >"$folder/$1/gpubench/share/text"
  )
  tidy_modes "$folder/$1/gpubench"
}

test_archives_depend_on_nothing_but_what_is_in_them() {
  local mask
  for mask in 022 077; do
    tree "$mask"
    touch -d "2001-01-01 UTC + $((10#$mask)) days" "$folder/$mask/gpubench/bin/gpubench"
    sorted_tar "$folder/$mask" gpubench | zstd -q -19 >"$folder/$mask.tar.zst"
  done
  check "another time and umask make the same bytes" cmp -s "$folder/022.tar.zst" "$folder/077.tar.zst"
  check "the program can be executed" is \
    "$(tar --zstd -tvf "$folder/077.tar.zst" | awk '/bin\/gpubench/ { print $1, $2 }')" "-rwxr-xr-x 0/0"
  check "the text cannot" is "$(tar --zstd -tvf "$folder/077.tar.zst" | awk '/share\/text/ { print $1 }')" "-rw-r--r--"
}

test_what_is_shipped_has_a_package() {
  check "rows have two fields" is "$(shipped | awk -F'\t' 'NF != 2' | wc -l)" 0
  local name
  for name in $(static_sources | awk '{ sub("lib$", "", $1); print $1 == "fmt" ? "fmt" : $1 }'); do
    check "$name is among them" grep -q "^$name" <(shipped)
  done
}

test_programs_that_need_a_newer_system_are_refused() {
  check "2.36 is enough for 2.36" version_at_least_dotted 2.36 2.36
  check "2.36 is enough for 2.4" version_at_least_dotted 2.36 2.4
  check "3.4.30 is not enough for 3.4.31" bash -c "source '$root/scripts/packaging/release.sh'; ! version_at_least_dotted 3.4.30 3.4.31"
  local program
  program=$(command -v bash)
  check "what a program needs can be read" test -n "$(newest_symbol "$program" GLIBC)"
  (place=$folder require_at_most "$program" GLIBC 2.1) 2>"$folder/words" || true
  check "too new a one is named, with the remedy" grep -q "bash needs GLIBC .* make them on Debian 12" "$folder/words"
}

test_sources_come_from_where_the_packages_come_from() {
  mkdir -p "$folder/apt/sources.list.d"
  printf '# a comment\nTypes: deb\nURIs: http://one.example/debian\nSuites: bookworm bookworm-updates\nComponents: main\n' \
    >"$folder/apt/sources.list.d/debian.sources"
  printf 'Types: deb\nURIs: http://two.example\nSuites: nodistro\nComponents: main\n' >"$folder/apt/sources.list.d/other.sources"
  printf 'deb [signed-by=/key] http://three.example/debian bookworm-security main\ndeb http://four.example cloud-bookworm main\n' \
    >"$folder/apt/sources.list"
  source_entries bookworm "$folder/apt" >"$folder/entries"
  check "the system's own are taken" is "$(grep -c '^Types: deb-src$' "$folder/entries")" 2
  check "a stanza's" says entries "URIs: http://one.example/debian"
  check "and a line's" says entries "Suites: bookworm-security"
  check "other releases are not" lacks entries two.example
  check "and names that end alike neither" lacks entries four.example
}

test_words_that_are_none_are_refused() {
  local status=0
  "$root/scripts/package.sh" everything 2>"$folder/stderr" || status=$?
  check "an unknown kind ends it" is "$status" 1
  check "with those that there are" says stderr "everything is not known; give --output DIR, cpu, small or deb"
  status=0
  "$root/scripts/package.sh" --output 2>"$folder/stderr" || status=$?
  check "so does a missing folder" says stderr "--output: give a folder"
}

run_tests
