#!/usr/bin/env bash
# Tests the parts of scripts/package.sh that need no build: reproducible archives, limits of symbol
# versions, package sources.
# shellcheck disable=SC2034  # Sourced scripts use these variables.

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
    echo "skipped: needs Linux and $tool"
    exit 77
  fi
done
export SOURCE_DATE_EPOCH=1700000000

# tree UMASK: creates $folder/UMASK/gpubench with a program and a text.
tree() {
  (
    umask "$1"
    mkdir -p "$folder/$1/gpubench/bin" "$folder/$1/gpubench/share"
    echo text | tee "$folder/$1/gpubench/bin/gpubench" >"$folder/$1/gpubench/share/text"
  )
  tidy_modes "$folder/$1/gpubench"
}

test_archives_are_reproducible() {
  local mask
  for mask in 022 077; do
    tree "$mask"
    touch -d "2001-01-01 UTC + $((10#$mask)) days" "$folder/$mask/gpubench/bin/gpubench"
    sorted_tar "$folder/$mask" gpubench | zstd -q -19 >"$folder/$mask.tar.zst"
  done
  check "different times and umasks give the same bytes" cmp -s "$folder/022.tar.zst" "$folder/077.tar.zst"
  check "the program is executable" is \
    "$(tar --zstd -tvf "$folder/077.tar.zst" | awk '/bin\/gpubench/ { print $1, $2 }')" "-rwxr-xr-x 0/0"
  check "the text is not executable" is "$(tar --zstd -tvf "$folder/077.tar.zst" | awk '/share\/text/ { print $1 }')" "-rw-r--r--"
}

test_shipped_libraries_have_a_package() {
  check "rows have two fields" is "$(shipped | awk -F'\t' 'NF != 2' | wc -l)" 0
  local name
  for name in $(static_sources | awk '{ sub("lib$", "", $1); print $1 == "fmt" ? "fmt" : $1 }'); do
    check "shipped.tsv lists $name" grep -q "^$name" <(shipped)
  done
}

test_programs_that_need_a_newer_system_are_rejected() {
  check "2.36 is enough for 2.36" version_at_least_dotted 2.36 2.36
  check "2.36 is enough for 2.4" version_at_least_dotted 2.36 2.4
  check "3.4.30 is not enough for 3.4.31" bash -c "source '$root/scripts/packaging/release.sh'; ! version_at_least_dotted 3.4.30 3.4.31"
  local program
  program=$(command -v bash)
  check "the symbol version of a program is read" test -n "$(newest_symbol "$program" GLIBC)"
  (place=$folder require_at_most "$program" GLIBC 2.1) 2>"$folder/errors" || true
  check "a version that is too new is reported with the remedy" grep -q "bash needs GLIBC .* build them on Debian 12" "$folder/errors"
}

test_sources_use_the_entries_of_the_packages() {
  mkdir -p "$folder/apt/sources.list.d"
  printf '# a comment\nTypes: deb\nURIs: http://one.example/debian\nSuites: bookworm bookworm-updates\nComponents: main\n' \
    >"$folder/apt/sources.list.d/debian.sources"
  printf 'Types: deb\nURIs: http://two.example\nSuites: nodistro\nComponents: main\n' >"$folder/apt/sources.list.d/other.sources"
  printf 'deb [signed-by=/key] http://three.example/debian bookworm-security main\ndeb http://four.example cloud-bookworm main\n' \
    >"$folder/apt/sources.list"
  source_entries bookworm "$folder/apt" >"$folder/entries"
  check "both formats of entries are used" is "$(grep -c '^Types: deb-src$' "$folder/entries")" 2
  check "a stanza is used" says entries "URIs: http://one.example/debian"
  check "a line is used" says entries "Suites: bookworm-security"
  check "other releases are ignored" lacks entries two.example
  check "releases with a similar name are ignored" lacks entries four.example
}

test_wrong_arguments_are_rejected() {
  local status=0
  "$root/scripts/package.sh" everything 2>"$folder/stderr" || status=$?
  check "an unknown argument exits with 1" is "$status" 1
  check "the message lists the arguments" says stderr "everything: unknown argument; give --output DIR, cpu, small or deb"
  status=0
  "$root/scripts/package.sh" --output 2>"$folder/stderr" || status=$?
  check "a missing folder is reported" says stderr "--output: its value is missing; give a folder"
}

run_tests
