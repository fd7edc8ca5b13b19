# shellcheck shell=bash
# The parts of a release: licences, archives, the Debian package, checksums.
# shellcheck disable=SC2154  # root, place, output, own_version and torch_folder come from package.sh.

# What a program may need of the system: no more than Ubuntu 22.04 has, and so Debian 12. Older ones refuse it in words that
# help nobody.
newest_glibc=2.35
newest_glibcxx=3.4.30

project_version() { sed -n 's/^project(gpubench VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt"; }

platform_name() {
  case $(uname -sm) in
    "Linux x86_64") echo linux-x86_64 ;;
    "Linux aarch64") echo linux-aarch64 ;;
    "Darwin arm64") echo macos-arm64 ;;
    *) fail "no release is made for $(uname -sm)" ;;
  esac
}

require_old_systems_symbols() {
  ! is_mac || return 0
  local file
  for file in "$place"/*/gpubench "$place"/*/libgpubench_engine.so; do
    require_at_most "$file" GLIBC "$newest_glibc"
    require_at_most "$file" GLIBCXX "$newest_glibcxx"
  done
}

# newest_symbol FILE FAMILY: the newest version of the family's symbols that the file asks for.
newest_symbol() {
  readelf -VW "$1" | grep -o "Name: $2_[0-9.]*" | sed "s/.*_//" | sort -V | tail -n 1
}

# require_at_most FILE FAMILY VERSION
require_at_most() {
  local found
  found=$(newest_symbol "$1" "$2")
  say "${1#"$place/"} needs $2 $found"
  version_at_least_dotted "$3" "$found" ||
    fail "${1#"$place/"} needs $2 $found, and releases promise $3: make them on Debian 12"
}

version_at_least_dotted() { [[ $(printf '%s\n' "$1" "$2" | sort -V | tail -n 1) == "$1" ]]; }

# Rows of shipped.tsv: name, package.
shipped() { grep -v '^#' "$root/scripts/packaging/shipped.tsv"; }

# mac_name PACKAGE: what Homebrew calls it.
mac_name() {
  case $1 in
    libssl-dev) echo openssl@3 ;;
    libpng-dev) echo libpng ;;
    libturbojpeg0-dev) echo jpeg-turbo ;;
    libutf8proc-dev) echo utf8proc ;;
    libsqlite3-dev) echo sqlite ;;
    libcli11-dev) echo cli11 ;;
    nlohmann-json3-dev) echo nlohmann-json ;;
    libfast-float-dev) echo fast_float ;;
    *) echo "$1" ;;
  esac
}

# write_licences FOLDER
write_licences() {
  local name package text
  mkdir -p "$1"
  while read -r name package; do
    text=$(licence_text "$name" "$package")
    [[ -n $text ]] || fail "the licence of $name is not to be found"
    cp "$text" "$1/$name"
    chmod 644 "$1/$name"
  done < <(shipped)
}

# licence_text NAME PACKAGE: the file that has it.
licence_text() {
  local folder
  for folder in /usr/share/doc "$place/static/licenses"; do
    if [[ -f $folder/$2/copyright ]]; then echo "$folder/$2/copyright" && return; fi
    if [[ -f $folder/$1 ]]; then echo "$folder/$1" && return; fi
  done
  ! is_mac || find "$(brew --prefix "$(mac_name "$2")")/" -maxdepth 1 -iname 'licen*' -o -maxdepth 1 -iname 'copying*' | head -n 1
}

# pack_archive NAME: of the folder $place/stage/NAME.
pack_archive() {
  local file
  tidy_modes "$place/stage/$1"
  if is_mac; then
    file=$1.tar.gz
    sorted_tar "$place/stage" "$1" | gzip -9n >"$output/$file.part"
  else
    file=$1.tar.zst
    sorted_tar "$place/stage" "$1" | zstd -q -19 --long=27 -T0 -c >"$output/$file.part"
  fi
  mv "$output/$file.part" "$output/$file"
  say "$(size_of "$output/$file") in $file, $(size_of "$place/stage/$1") unpacked"
}

size_of() { du -sk --apparent-size "$1" 2>/dev/null | awk '{ printf "%.1f MB", $1 / 1000 * 1.024 }' || du -sh "$1" | cut -f 1; }

# Whatever the umask was.
tidy_modes() {
  find "$1" -type d -exec chmod 755 {} +
  find "$1" -type f -exec chmod 644 {} +
  find "$1/bin" "$1/usr/bin" -type f -exec chmod 755 {} + 2>/dev/null || true
}

# sorted_tar FOLDER NAME: always in the same order, owned by root, of the time of the commit.
sorted_tar() {
  if is_mac; then
    find "$1/$2" -exec touch -h -t "$(date -r "$SOURCE_DATE_EPOCH" +%Y%m%d%H%M.%S)" {} +
    (cd "$1" && find "$2" -print | sort | tar --format=ustar --no-recursion --uid 0 --gid 0 --uname '' --gname '' -cf - -T -)
  else
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu -C "$1" -cf - "$2"
  fi
}

# pack_deb FOLDER: which has usr/ in it.
pack_deb() {
  local folder=$1 doc=$1/usr/share/doc/gpubench architecture
  architecture=$(dpkg --print-architecture)
  local maintainer="${GPUBENCH_MAINTAINER:-the gpubench developers <gpubench@localhost.localdomain>}"
  rm "$doc/LICENSE"
  debian_changelog "$maintainer" | gzip -9n >"$doc/changelog.gz"
  write_copyright "$doc" >"$doc/copyright"
  rm -r "$doc/licenses"
  tidy_modes "$folder"
  (cd "$place" && rm -rf deb && mkdir deb && cpack --config "$root/scripts/packaging/deb.cmake" \
    -D "CPACK_PACKAGE_VERSION=$own_version" -D "CPACK_INSTALLED_DIRECTORIES=$folder/usr;/usr" -D "CPACK_PACKAGE_DIRECTORY=$place/deb" \
    -D "CPACK_DEBIAN_PACKAGE_MAINTAINER=$maintainer" \
    -D "CPACK_DEBIAN_PACKAGE_ARCHITECTURE=$architecture" -D "CPACK_DEBIAN_PACKAGE_DEPENDS=$(deb_needs "$folder"), ca-certificates") >&2
  mv "$place/deb/"*.deb "$output/gpubench_${own_version}_$architecture.deb"
  say "$(size_of "$output/gpubench_${own_version}_$architecture.deb") in gpubench_${own_version}_$architecture.deb"
}

# debian_changelog MAINTAINER: in the form that Debian's tools read; the project's own is CHANGELOG.md.
debian_changelog() {
  printf 'gpubench (%s) stable; urgency=medium\n\n  * A release; CHANGELOG.md tells what changed.\n\n -- %s  %s\n' \
    "$own_version" "$1" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
}

# deb_needs FOLDER: packages that have the libraries which the program and the engines link; LibTorch is no package.
deb_needs() {
  local scratch=$place/needs path places=() files=("$1/usr/bin/gpubench")
  for path in "${torch_folder:?}/lib" "${torch_folder%/*}"/nvidia/*/lib; do places+=("-l$path"); done
  while read -r path; do files+=("$path"); done < <(find "$1/usr/lib/gpubench" -name '*.so')
  rm -rf "$scratch" && mkdir -p "$scratch/debian"
  printf 'Source: gpubench\n\nPackage: gpubench\nArchitecture: any\n' >"$scratch/debian/control"
  # It warns of each library of LibTorch, in which no package has a part.
  (cd "$scratch" && dpkg-shlibdeps -O --ignore-missing-info --warnings=0 "${places[@]}" "${files[@]}" 2>"$scratch/words") |
    sed 's/^shlibs:Depends=//' || { cat "$scratch/words" >&2; fail "the packages that the Debian package needs cannot be told"; }
}

# write_copyright FOLDER: its licence, and those of what is linked into it.
write_copyright() {
  local file
  printf 'gpubench is made by its developers, under the MIT licence:\n\n'
  cat "$root/LICENSE"
  printf '\nIt has parts of the following libraries, as static ones or as headers.\n'
  for file in "$1"/licenses/*; do
    printf '\n---- %s ----\n\n' "${file##*/}"
    cat "$file"
  done
}

checksum_of() { if have sha256sum; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1; }

write_checksums() {
  cp "$root/scripts/install.sh" "$root/scripts/ci-gate.sh" "$output/"
  local file
  (cd "$output" && for file in *; do
    [[ $file == SHA256SUMS ]] || printf '%s  %s\n' "$(checksum_of "$file")" "$file"
  done) >"$place/SHA256SUMS"
  mv "$place/SHA256SUMS" "$output/SHA256SUMS"
}
