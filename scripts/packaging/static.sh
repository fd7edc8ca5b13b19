# shellcheck shell=bash
# Builds static libraries for releases, if the system's are missing or have further dependencies.
# Uses the distribution's sources, verified with its package keys.
# shellcheck disable=SC2154  # work and root come from the scripts that use this.

# Prints a line for each library: name of the source package, CMake options.
static_sources() {
  cat <<'END'
curl -DBUILD_CURL_EXE=OFF -DHTTP_ONLY=ON -DCURL_USE_LIBSSH2=OFF -DCURL_USE_LIBPSL=OFF -DUSE_LIBIDN2=OFF -DUSE_NGHTTP2=OFF -DCURL_BROTLI=OFF -DCURL_ZSTD=OFF -DCURL_CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt -DCURL_CA_PATH=none -DCURL_USE_OPENSSL=ON
libarchive -DENABLE_TEST=OFF -DENABLE_TAR=OFF -DENABLE_CPIO=OFF -DENABLE_CAT=OFF -DENABLE_ACL=OFF -DENABLE_XATTR=OFF -DENABLE_BZip2=OFF -DENABLE_LZMA=OFF -DENABLE_LZ4=OFF -DENABLE_ZSTD=OFF -DENABLE_LZO=OFF -DENABLE_LIBB2=OFF -DENABLE_NETTLE=OFF -DENABLE_OPENSSL=OFF -DENABLE_LIBXML2=OFF -DENABLE_EXPAT=OFF -DENABLE_ICONV=OFF -DENABLE_PCREPOSIX=OFF
fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
END
}

# Prints Homebrew's name of a library; nothing for curl, which is part of macOS.
brew_name() {
  case $1 in
    fmtlib) echo fmt ;;
    curl) ;;
    *) echo "$1" ;;
  esac
}

# build_static FOLDER: creates the folder, a prefix for CMake. It is complete or absent.
build_static() {
  local folder=$1 name options
  [[ ! -d $folder ]] || return 0
  work=$(mktemp -d "$folder.XXXXXX")
  is_mac || prepare_sources
  while read -r name options; do
    [[ -n $(brew_name "$name") ]] || ! is_mac || continue
    # shellcheck disable=SC2086  # Several options.
    build_static_library "$name" $options
  done < <(static_sources)
  mv "$work/prefix" "$folder"
  rm -rf "$work"
}

# build_static_library NAME OPTION...
build_static_library() {
  local name=$1 source
  shift
  if is_mac; then brew_source "$name"; else debian_source "$name"; fi
  source=$(find "$work/source-$name" -mindepth 1 -maxdepth 1 -type d)
  say "compiling $name"
  cmake -S "$source" -B "$work/build-$name" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_PREFIX="$work/prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    "-DCMAKE_C_FLAGS=$(static_flags "$work")" "-DCMAKE_CXX_FLAGS=$(static_flags "$work")" "$@" >"$work/log" 2>&1 &&
    cmake --build "$work/build-$name" -j "$(job_count)" >>"$work/log" 2>&1 &&
    cmake --install "$work/build-$name" >>"$work/log" 2>&1 && return
  tail -n 30 "$work/log" >&2
  fail "$name: compilation failed; see the log above"
}

# static_flags FOLDER: prints compiler flags that harden the code and remove the folder's path.
static_flags() {
  printf '%s' "-g0 -fstack-protector-strong -D_FORTIFY_SOURCE=2 -ffile-prefix-map=$1=."
  is_mac || printf '%s' " -fstack-clash-protection"
}

# Fetches the package lists of sources into the working folder, without changing the system's.
prepare_sources() {
  local codename
  # shellcheck source=/dev/null
  codename=$(source /etc/os-release && echo "${VERSION_CODENAME:-}")
  mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
  source_entries "$codename" 2>/dev/null >"$work/apt/sources.sources"
  [[ -s $work/apt/sources.sources ]] || fail "/etc/apt: no entry for $codename; add one for its sources"
  private_apt update >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "cannot fetch the source lists; connect to the network"; }
}

# source_entries CODENAME [FOLDER]: prints apt's entries for that release as deb-src stanzas.
source_entries() {
  local folder=${2:-/etc/apt}
  find "$folder/sources.list.d" -name '*.sources' -exec awk -v codename="$1" 'BEGIN { RS = ""; ORS = "\n\n" }
    $0 ~ "Suites:[^\n]*[ ]" codename "([-/ \n]|$)" { sub(/Types:[^\n]*/, "Types: deb-src"); gsub(/#[^\n]*\n/, ""); print }' {} +
  find "$folder/sources.list" "$folder/sources.list.d" -name '*.list' -exec awk -v codename="$1" '
    $1 == "deb" { sub(/\[[^]]*\]/, "")
      if ($3 ~ "^" codename "([-/]|$)") { suite = $3; uri = $2; $1 = $2 = $3 = ""
        printf "Types: deb-src\nURIs: %s\nSuites: %s\nComponents:%s\n\n", uri, suite, $0 } }' {} + 2>/dev/null || true
}

private_apt() {
  apt-get -q -o Dir::Etc::SourceList="$work/apt/none" -o Dir::Etc::SourceParts="$work/apt" -o Dir::State::Lists="$work/apt/lists" \
    -o Dir::Cache="$work/apt/cache" -o APT::Sandbox::User=root "$@"
}

# debian_source NAME: unpacks the source in $work/source-NAME, with the distribution's patches.
debian_source() {
  mkdir "$work/source-$1"
  (cd "$work/source-$1" && private_apt source "$1") >"$work/log" 2>&1 ||
    { tail -n 5 "$work/log" >&2; fail "cannot fetch the source of $1; connect to the network, and install dpkg-dev"; }
}

# brew_source NAME: unpacks the source in $work/source-NAME; Homebrew verifies it.
brew_source() {
  local formula
  formula=$(brew_name "$1")
  mkdir "$work/source-$1"
  brew fetch --quiet --build-from-source "$formula" >&2
  tar -xf "$(brew --cache --build-from-source "$formula")" -C "$work/source-$1"
}
