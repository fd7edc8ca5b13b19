#!/usr/bin/env bash
# Tests the sample pages and charts of tests/data and a real report in a headless browser.
# usage: page_test.sh GPUBENCH DATA_TESTS
# Exits with 77 (skipped) if Chromium is missing.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-browser-test.XXXXXX")
trap 'rm -rf "$folder"' EXIT
failures=0

find_browser() {
  local name
  for name in chromium chromium-browser google-chrome "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
    if command -v "$name"; then return; fi
  done
  return 1
}
browser=$(find_browser) || { echo "skipped: Chromium is missing"; exit 77; }

# browse FILE ARGUMENT...: opens the file in the browser, with its output in $folder/stdout and
# $folder/stderr. The sandbox is off, because it refuses to run as root and the files are trusted.
browse() {
  local file=$1
  shift
  rm -rf "$folder/profile"
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync --enable-logging=stderr \
    --user-data-dir="$folder/profile" "$@" "file://$file" >"$folder/stdout" 2>"$folder/stderr" ||
    echo "$browser failed on $file" >>"$folder/stdout"
}

# probe FILE ARGUMENT...: runs page_probe.js in the copy of the page that allows it.
probe() {
  local page
  page=$folder/probed-$(basename "$1")
  shift
  browse "$page" --dump-dom "$@"
}

# probe_narrow PAGE: the same in a frame as wide as a phone.
probe_narrow() {
  printf '<iframe src="probed-%s.html" width="390" height="900" style="border: 0"></iframe>
<script>onload = () => document.body.append(frames[0].document.querySelector("body > pre"))</script>\n' "$1" >"$folder/narrow.html"
  browse "$folder/narrow.html" --dump-dom --allow-file-access-from-files
}

# make_probed PAGE: copies the page with page_probe.js, and without the policy that would block it.
make_probed() {
  {
    sed -e '/Content-Security-Policy/d' -e '/^<\/body>/,$d' "$1"
    printf '<script>\n{\n%s\n}\n</script>\n</body>\n</html>\n' "$(cat "$root/tests/browser/page_probe.js")"
  } >"$folder/probed-$(basename "$1")"
}

# check SENTENCE COMMAND...: fails the test with the sentence unless the command succeeds.
check() {
  local sentence=$1
  shift
  if "$@"; then return; fi
  echo "check failed: $sentence"
  grep -F 'probe ' "$folder/stdout" | sed 's/^/  /' || true
  grep -F 'CONSOLE' "$folder/stderr" | sed 's/^/  /' || true
  failures=$((failures + 1))
}

has() { grep -qF -- "$2" "$folder/$1"; }
lacks() { ! has "$@"; }
finds() { grep -qxE "(.*>)?probe $1" "$folder/stdout"; }

test_pages_and_charts_print_nothing_on_the_console() {
  local file name
  for file in "$folder"/{page.html,hostile.html,awkward.html,page.svg,hostile.svg,awkward.svg,report.html}; do
    name=$(basename "$file")
    browse "$file" --dump-dom
    check "$name is complete" has stdout '</svg>'
    check "$name is well-formed" lacks stdout parsererror
    check "$name has no error and no policy violation" lacks stderr CONSOLE
  done
}

# Shows that the other tests can fail.
test_a_foreign_script_and_a_request_are_detected() {
  sed 's|^</body>|<script>document.title = "ran"</script><img src="https://gpubench.invalid/a.png">&|' \
    "$folder/page.html" >"$folder/foreign.html"
  browse "$folder/foreign.html" --dump-dom
  check "a foreign script violates the policy" has stderr "script-src"
  check "a remote image violates the policy" has stderr "gpubench.invalid"
  check "a foreign script does not run" lacks stdout "<title>ran"
  sed 's|^<header>|&<img src="https://gpubench.invalid/a.png">|' "$folder/probed-page.html" >"$folder/probed-asking.html"
  probe asking.html
  check "a request is counted" finds "requests: 1"
}

test_a_page_loads_nothing_and_sorts() {
  probe page.html --window-size=1200,900 --blink-settings=preferredColorScheme=1
  check "the page makes no request" finds "requests: 0"
  check "rows initially keep their order" finds "before: mlp cnn lstm vae resnet50 vit"
  check "a heading sorts, missing values last" finds "by ratio: ascending lstm vae mlp cnn vit resnet50"
  check "a second click reverses the order, missing values last" finds "by ratio again: descending vit cnn mlp vae lstm resnet50"
  check "equal values keep their order" finds "by batch: ascending vit cnn mlp lstm vae resnet50"
  check "texts are sorted as texts" finds "by name: ascending cnn lstm mlp resnet50 vae vit"
  check "tables with fewer than six rows have no buttons" finds "tables with buttons: 1 of 2"
  check "one column is marked as sorted" finds "sorted columns: 1"
  check "a heading takes the focus" finds "focus: beta \[s\]"
  check "each chart is shown once" finds "charts: 4 of 4"
  check "no text of a chart is clipped" finds "clipped texts: none"
  check "charts fill the page" finds "narrowest chart: 100 %"
  check "details are shown" finds "hidden details: 0"
  check "the background is light" finds "background: rgb\(255, 255, 255\)"
  check "texts have enough contrast on light background" finds "weak texts: none"
  check "lines have enough contrast on light background" finds "weak lines: 0"
}

test_a_page_follows_the_dark_scheme() {
  probe page.html --blink-settings=preferredColorScheme=0
  check "the background is dark" finds "background: rgb\(20, 23, 28\)"
  check "texts have enough contrast on dark background" finds "weak texts: none"
  check "lines have enough contrast on dark background" finds "weak lines: 0"
}

test_a_page_fits_a_phone() {
  local name
  for name in page hostile report; do
    probe_narrow "$name"
    check "$name.html is 390 pixels wide" finds "width: 3(90|75)"
    check "$name.html does not scroll sideways" finds "scrolls sideways: false"
    check "$name.html has at most one hint to scroll, at a table that is too wide" finds "hints: (0 at 0|1 at 1)"
    check "text of charts of $name.html has at least 11 pixels" finds "chart text: 1[1-9].*"
    check "no chart of $name.html scrolls sideways" finds "charts too wide: 0"
    check "no text of a chart of $name.html is clipped" finds "clipped texts: none"
  done
  probe_narrow page
  check "a phone hides details" finds "hidden details: 12"
  check "a wide table has the hint" finds "hints: 1 at 1"
}

test_hostile_texts_are_not_executed() {
  probe hostile.html
  check "the only scripts are its own and the probe" finds "scripts: 2"
  check "no element has a handler" finds "handlers: 0"
}

test_a_page_works_without_scripts() {
  sed '/<script>/,/<\/script>/d' "$folder/page.html" >"$folder/still.html"
  browse "$folder/still.html" --dump-dom
  check "tables exist without scripts" has stdout 'data-value="1.31'
  check "headings are not buttons without scripts" lacks stdout '<button'
}

test_a_page_prints() {
  browse "$folder/page.html" --print-to-pdf="$folder/page.pdf"
  check "a PDF is printed" test "$(head -c 4 "$folder/page.pdf" 2>/dev/null)" = %PDF
  check "the PDF has at least two pages" test "$(grep -ac '/Type /Page$' "$folder/page.pdf")" -ge 2
}

results=$root/tests/fixtures/results
"$1" report "$results/alpha-cpu.json" "$results/beta-cuda.json" -q -o "$folder/report.html"
GPUBENCH_PAGES=$folder "$2" "[.pages]" >"$folder/stdout"
for page in "$folder"/{page,hostile,report}.html; do make_probed "$page"; done
for test in $(compgen -A function test_); do "$test"; done
[[ $failures == 0 ]] || { echo "$failures checks failed"; exit 1; }
echo "all checks passed"
