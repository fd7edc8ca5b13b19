# shellcheck shell=bash
# The documentation as a site, and its pictures. scripts/site.sh is the way in.
# shellcheck disable=SC2154 # root is the caller's.

site_sources=$root/scripts/site
site_requirements=$root/scripts/site/requirements.txt

# make_site FOLDER
make_site() {
  local folder=$1
  find_generator
  refuse_foreign_folder "$folder"
  stage=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-site.XXXXXX")
  trap 'rm -rf "$stage"' EXIT
  stage_pages
  generate ||
    fail "the site was not made: the lines above say why; a page needs its place in scripts/site/mkdocs.yml"
  # It tells addresses, and there are none.
  rm -f "$stage/site/sitemap.xml" "$stage/site/sitemap.xml.gz"
  rm -rf "$folder" && mkdir -p "$folder" && cp -R "$stage/site/." "$folder"
  say "$(find "$folder" -name '*.html' | wc -l | tr -d ' ') pages in $folder; begin with $folder/index.html"
}

# mkdocs tells of its progress as much as of what is wrong.
generate() {
  local status=0
  GPUBENCH_SITE_ROOT=$root "$generator" -m mkdocs build --config-file "$stage/mkdocs.yml" --site-dir "$stage/site" \
    >"$stage/log" 2>&1 || status=$?
  [[ $status == 0 ]] || grep -v '^INFO ' "$stage/log" >&2
  return "$status"
}

# The folder is made anew, so what is no site must not be in it.
refuse_foreign_folder() {
  [[ ! -e $1 || -f $1/index.html || -z $(ls -A "$1") ]] ||
    fail "$1 has files that are no site; name another folder, or empty it"
}

# Pages lie as they do in the repository, so that their links stay as they are.
stage_pages() {
  local page
  cp -R "$site_sources/." "$stage"
  mkdir -p "$stage/pages/docs" "$stage/pages/results"
  for page in README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md results/README.md; do
    cp "$root/$page" "$stage/pages/$page"
  done
  cp "$root"/docs/*.md "$stage/pages/docs"
  [[ ! -d $root/docs/pictures ]] || cp -R "$root/docs/pictures" "$stage/pages/docs"
}

# Sets generator, the Python that has mkdocs; fetches it once into the cache. A change of what is pinned is another folder.
find_generator() {
  local folder
  have python3 || fail "python3 is missing; install Python 3.11 or newer, with its module venv"
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$(python3 --version) is too old for mkdocs as it is pinned; put Python 3.11 or newer first on PATH"
  folder=$cache_folder/site-$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')-$(checksum_of "$site_requirements")
  [[ -d $folder ]] || fetch_into "$folder" fill_generator
  generator=$folder/bin/python
}

checksum_of() { cksum <"$1" | tr ' ' '-'; }

# The environment is moved afterwards: its Python finds it from where it lies, only the scripts beside would not.
fill_generator() {
  say "fetching mkdocs (20 MB)"
  python3 -m venv "$work/site" >&2 || fail "python3 cannot make an environment; install its module venv (Debian: python3-venv)"
  TMPDIR=$work PIP_DISABLE_PIP_VERSION_CHECK=1 run_child "$work/site/bin/python" -m pip install --quiet --no-cache-dir \
    --only-binary=:all: --require-hashes -r "$site_requirements" ||
    fail "cannot fetch mkdocs; connect to the network, or set PIP_INDEX_URL to a mirror of the package index"
}

# The table is that of README.md, drawn without a browser. The page is of figures that others published and that came with the
# program: real ones, and the repository has no others of two machines.
draw_pictures() {
  local pictures=$root/docs/pictures
  find_gpubench
  find_browser
  have optipng || fail "optipng is missing, which makes pictures small; install it"
  mkdir -p "$pictures"
  draw_table "$root/README.md" >"$pictures/table.svg"
  "$gpubench" report published:m1-ultra-gpu published:rtx-2070-super --quiet -o "$pictures/report.html"
  photograph "$pictures/report.html" "$pictures/report.png"
  rm "$pictures/report.html"
  refuse_large "$pictures/table.svg" "$pictures/report.png"
}

# draw_table MARKDOWN: its first block that is a table of cases, as a terminal shows it.
draw_table() { LC_ALL=C awk -v command='gpubench suite quick' -f "$root/scripts/site/table.awk" "$1"; }

# photograph PAGE PICTURE: the top of the page, in light colours. Chromium's sandbox refuses to run as root, and the page is ours.
photograph() {
  stage=$(mktemp -d "${TMPDIR:-/tmp}/gpubench-site.XXXXXX")
  trap 'rm -rf "$stage"' EXIT
  rm -f "$2"
  "$browser" --headless --no-sandbox --disable-gpu --disable-lcd-text --disable-dev-shm-usage --hide-scrollbars --no-first-run \
    --blink-settings=preferredColorScheme=1 --user-data-dir="$stage" --window-size=1280,1280 --screenshot="$2" "file://$1" \
    >/dev/null 2>&1 || true
  [[ -s $2 ]] || fail "$browser made no picture of $1"
  optipng -quiet -o2 "$2"
}

find_browser() {
  for browser in chromium chromium-browser google-chrome "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
    ! have "$browser" || return 0
  done
  fail "Chromium is missing, which photographs the report; install it"
}

# A page of the repository is looked at over telephones too.
refuse_large() {
  local picture bytes
  for picture in "$@"; do
    bytes=$(wc -c <"$picture" | tr -d ' ')
    say "$picture: $bytes bytes"
    ((bytes <= 150000)) || fail "$picture is larger than 150,000 bytes"
  done
}
