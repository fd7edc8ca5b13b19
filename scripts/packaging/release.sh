# shellcheck shell=bash
# Makes the parts of a release: licences, archives, the Debian package, checksums.
# shellcheck disable=SC2154  # root, place, output, own_version and torch_folder come from package.sh.

# Newest symbol versions that a release may need: those of Ubuntu 22.04, which Debian 12 has too. On
# older systems the dynamic linker reports a cryptic error.
newest_glibc=2.35
newest_glibcxx=3.4.30

project_version() { sed -n 's/^project(gpubench VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt"; }

platform_name() {
  case $(uname -sm) in
    "Linux x86_64") echo linux-x86_64 ;;
    "Linux aarch64") echo linux-aarch64 ;;
    "Darwin arm64") echo macos-arm64 ;;
    *) fail "$(uname -sm): unsupported platform; use Linux on x86_64 or aarch64, or macOS on arm64" ;;
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

# newest_symbol FILE FAMILY: prints the newest version of the family's symbols that the file needs.
newest_symbol() {
  readelf -VW "$1" | grep -o "Name: $2_[0-9.]*" | sed "s/.*_//" | sort -V | tail -n 1
}

# require_at_most FILE FAMILY VERSION: fails if the file needs newer symbols.
require_at_most() {
  local found
  found=$(newest_symbol "$1" "$2")
  say "${1#"$place/"} needs $2 $found"
  version_at_least_dotted "$3" "$found" ||
    fail "${1#"$place/"} needs $2 $found, but releases support $3; build them on Debian 12"
}

version_at_least_dotted() { [[ $(printf '%s\n' "$1" "$2" | sort -V | tail -n 1) == "$1" ]]; }

# Prints the rows of shipped.tsv: name, package.
shipped() { grep -v '^#' "$root/scripts/packaging/shipped.tsv"; }

# brew_package PACKAGE: prints Homebrew's name of a Debian package.
brew_package() {
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
    [[ -n $text ]] || fail "$name: its licence is missing; install $package"
    cp "$text" "$1/$name"
    chmod 644 "$1/$name"
  done < <(shipped)
}

# licence_text NAME PACKAGE: prints the path of the licence.
licence_text() {
  local folder
  for folder in /usr/share/doc "$place/static/licenses"; do
    if [[ -f $folder/$2/copyright ]]; then echo "$folder/$2/copyright" && return; fi
    if [[ -f $folder/$1 ]]; then echo "$folder/$1" && return; fi
  done
  ! is_mac || find "$(brew --prefix "$(brew_package "$2")")/" -maxdepth 1 -iname 'licen*' -o -maxdepth 1 -iname 'copying*' | head -n 1
}

# pack_archive NAME: packs the folder $place/stage/NAME.
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
  say "$file: $(print_size "$output/$file"), $(print_size "$place/stage/$1") unpacked"
}

print_size() { du -sk --apparent-size "$1" 2>/dev/null | awk '{ printf "%.1f MB", $1 / 1000 * 1.024 }' || du -sh "$1" | cut -f 1; }

# Makes the modes independent of the umask.
tidy_modes() {
  find "$1" -type d -exec chmod 755 {} +
  find "$1" -type f -exec chmod 644 {} +
  find "$1/bin" "$1/usr/bin" -type f -exec chmod 755 {} + 2>/dev/null || true
}

# sorted_tar FOLDER NAME: prints a sorted tar archive, owned by root, with the time of the commit.
sorted_tar() {
  if is_mac; then
    find "$1/$2" -exec touch -h -t "$(date -r "$SOURCE_DATE_EPOCH" +%Y%m%d%H%M.%S)" {} +
    (cd "$1" && find "$2" -print | sort | tar --format=ustar --no-recursion --uid 0 --gid 0 --uname '' --gname '' -cf - -T -)
  else
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu -C "$1" -cf - "$2"
  fi
}

# pack_deb FOLDER: packs the folder, which contains usr/.
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
  say "gpubench_${own_version}_$architecture.deb: $(print_size "$output/gpubench_${own_version}_$architecture.deb")"
}

# debian_changelog MAINTAINER: prints a changelog in Debian's format that refers to CHANGELOG.md.
debian_changelog() {
  printf 'gpubench (%s) stable; urgency=medium\n\n  * New release; see CHANGELOG.md.\n\n -- %s  %s\n' \
    "$own_version" "$1" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
}

# deb_needs FOLDER: prints the packages of the linked libraries, except LibTorch.
deb_needs() {
  local scratch=$place/needs path places=() files=("$1/usr/bin/gpubench")
  for path in "${torch_folder:?}/lib" "${torch_folder%/*}"/nvidia/*/lib; do places+=("-l$path"); done
  while read -r path; do files+=("$path"); done < <(find "$1/usr/lib/gpubench" -name '*.so')
  rm -rf "$scratch" && mkdir -p "$scratch/debian"
  printf 'Source: gpubench\n\nPackage: gpubench\nArchitecture: any\n' >"$scratch/debian/control"
  # Hide its warnings about the libraries of LibTorch, which belong to no package.
  (cd "$scratch" && dpkg-shlibdeps -O --ignore-missing-info --warnings=0 "${places[@]}" "${files[@]}" 2>"$scratch/errors") |
    sed 's/^shlibs:Depends=//' || { cat "$scratch/errors" >&2; fail "dpkg-shlibdeps failed; see its messages above"; }
}

# write_copyright FOLDER: prints the licence of gpubench and those of the linked libraries.
write_copyright() {
  local file
  printf 'gpubench is written by its developers, under the MIT licence:\n\n'
  cat "$root/LICENSE"
  printf '\nIt contains parts of the following libraries, linked statically or included as headers.\n'
  for file in "$1"/licenses/*; do
    printf '\n---- %s ----\n\n' "${file##*/}"
    cat "$file"
  done
}

print_sha256() { if have sha256sum; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1; }

write_checksums() {
  cp "$root/scripts/install.sh" "$root/scripts/ci-gate.sh" "$output/"
  local file
  (cd "$output" && for file in *; do
    [[ $file == SHA256SUMS ]] || printf '%s  %s\n' "$(print_sha256 "$file")" "$file"
  done) >"$place/SHA256SUMS"
  mv "$place/SHA256SUMS" "$output/SHA256SUMS"
}
