#!/usr/bin/env bash
# usage: site_test.sh ROOT: the documentation makes a site whose links lead somewhere; what is broken is found; the picture of the
# table shows the table that README.md has.
# shellcheck disable=SC2016 # It is the inner shell that expands.

# shellcheck source=tests/support/checks.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.sh"
root=$(cd "$1" && pwd)
site=$folder/site

# The index may be out of reach, and Python too old: that says nothing of the documentation.
if ! PIP_RETRIES=0 PIP_DEFAULT_TIMEOUT=15 "$root/scripts/site.sh" --set-up 2>"$folder/stderr"; then
  echo "skipped: $(tail -n 1 "$folder/stderr")"
  exit 77
fi

# make_site [CHANGE]: sets `status` to the outcome for a copy of the documentation after the change, a command run in it.
make_site() {
  status=0
  rm -rf "$folder/copy" && mkdir "$folder/copy"
  (
    cd "$root"
    cp -R ./*.md docs results scripts bench "$folder/copy"
    cd "$folder/copy"
    eval "${1:-}"
  )
  "$folder/copy/scripts/site.sh" "$site" 2>"$folder/stderr" || status=$?
}

# finds SENTENCE CHANGE WORDS: after the change no site is made, and the reason has these words.
finds() {
  make_site "$2"
  check "$1 ends it" is "$status" 1
  check "$1 is named" says stderr "$3"
}

test_a_site_is_made() {
  make_site
  check "the site is made" is "$status" 0
  check "it begins with README.md" grep -q '<h1 id="gpubench">' "$site/index.html"
  check "pages are where they are in the repository" test -f "$site/docs/comparing.html"
  check "anchors are those of GitHub" grep -q 'id="comparable-caveat-refused"' "$site/docs/comparing.html"
  check "what pages link to comes along" test -f "$site/results/schema/run-v3.schema.json"
  check "a folder that they link to is listed" grep -q 'ops-published.tsv' "$site/results/reference/index.html"
}

test_what_is_broken_is_found() {
  finds "a link to no page" 'echo "[x](docs/none.md)" >>README.md' "docs/none.md"
  finds "a link to no heading" 'echo "[x](ab.md#none)" >>docs/energy.md' "ab.html#none"
  finds "a link that mkdocs does not see" 'echo "<a href=\"none.html\">x</a>" >>docs/energy.md' "none.html leads nowhere"
  finds "a picture from elsewhere" 'echo "<img src=\"https://example.org/x.png\">" >>docs/energy.md' "from elsewhere"
  finds "a style from elsewhere" 'echo "@import \"https://example.org/x.css\";" >>scripts/site/theme/style.css' \
    "style.css: loads"
  finds "a list that is none" 'printf "\ntext:\n- one\n- two\n" >>docs/energy.md' "docs/energy.html: is no list"
}

test_a_page_that_has_no_place_is_found() {
  finds "a page that the navigation lacks" 'echo "# New" >docs/new.md' "docs/new.md"
  finds "a place without a page" 'rm docs/journal.md' "docs/journal.md"
}

test_other_folders_are_left_alone() {
  mkdir "$folder/mine" && touch "$folder/mine/file"
  status=0
  "$root/scripts/site.sh" "$folder/mine" 2>"$folder/stderr" || status=$?
  check "a folder with other files is refused" is "$status" 1
  check "its files stay" test -f "$folder/mine/file"
}

test_the_picture_of_the_table_is_the_table() {
  LC_ALL=C awk -v command='gpubench suite quick' -f "$root/scripts/site/table.awk" "$root/README.md" >"$folder/table.svg"
  check "docs/pictures/table.svg is as 'scripts/site.sh --pictures' draws it" \
    cmp -s "$folder/table.svg" "$root/docs/pictures/table.svg"
  printf '# A page\n' >"$folder/none.md"
  check "a page without a table is refused" \
    bash -c '! awk -f "$1" "$2" 2>/dev/null' - "$root/scripts/site/table.awk" "$folder/none.md"
}

run_tests
