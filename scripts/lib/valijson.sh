# shellcheck shell=bash
# Fetches the headers of valijson into the cache of all clones. Unpacks Debian's package without
# installing it, because it depends on Qt, Poco and MariaDB.
# shellcheck disable=SC2034,SC2154  # cache_folder comes from libtorch.sh, and build.sh uses valijson_folder.

# Sets valijson_folder to the folder that contains valijson/; empty if CMake must find or fetch it.
find_valijson() {
  valijson_folder=
  have apt-get && have dpkg-deb || return 0
  local folder=$cache_folder/valijson
  [[ -d $folder/usr/include/valijson ]] || unpack_valijson "$folder" || return 0
  valijson_folder=$folder/usr/include
}

# unpack_valijson FOLDER: creates the folder. It is complete or absent.
unpack_valijson() {
  local scratch
  mkdir -p "${1%/*}" && scratch=$(mktemp -d "${1%/*}/valijson.XXXXXX") || return 1
  say "fetching the headers of valijson into $1"
  (cd "$scratch" && download_valijson && dpkg-deb -x libvalijson-dev_*.deb unpacked) &&
    { mv -T "$scratch/unpacked" "$1" 2>/dev/null || [[ -d $1 ]]; }
  local status=$?
  rm -rf "$scratch"
  return "$status"
}

# Downloads the package to the current folder; refreshes the package lists if necessary.
download_valijson() {
  apt-get download -q libvalijson-dev >&2 || { refresh_apt && apt-get download -q libvalijson-dev >&2; }
}
