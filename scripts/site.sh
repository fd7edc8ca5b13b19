#!/usr/bin/env bash
# Makes the documentation a site of plain files, or its pictures.
# usage: scripts/site.sh [FOLDER]     the site, in build/site by default; links and the list of pages are checked
#        scripts/site.sh --set-up     only fetches the generator, mkdocs, as pinned in scripts/site/requirements.txt
#        scripts/site.sh --pictures   draws docs/pictures anew: needs Chromium, and the program that scripts/run.sh built,
#                                     the one on PATH, or what GPUBENCH names

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/lib/common.sh
source "$root/scripts/lib/common.sh"
# shellcheck source=scripts/lib/lock.sh
source "$root/scripts/lib/lock.sh"
# shellcheck source=scripts/lib/fetch.sh
source "$root/scripts/lib/fetch.sh"
# shellcheck source=scripts/lib/libtorch.sh
source "$root/scripts/lib/libtorch.sh"
# shellcheck source=scripts/site/make.sh
source "$root/scripts/site/make.sh"

case ${1:-} in
  --set-up) find_generator ;;
  --pictures) draw_pictures ;;
  -h | --help) sed -n '2,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" ;;
  -*) fail "$1 is no option of scripts/site.sh; it has --set-up and --pictures" ;;
  *) make_site "${1:-$root/build/site}" ;;
esac
