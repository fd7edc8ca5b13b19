# shellcheck shell=bash
# Installs missing tools and libraries of the system that a build needs.

debian_build="g++ cmake ninja-build git ca-certificates python3
  libcurl4-openssl-dev libssl-dev zlib1g-dev libarchive-dev libturbojpeg0-dev libpng-dev libutf8proc-dev libsqlite3-dev"
debian_test="jq gnuplot-nox"
# Not every release has these. CMake then fetches the libraries, and tests without their tool are
# skipped. Without ccache, a fresh clone compiles everything.
debian_build_optional="libcli11-dev libfmt-dev nlohmann-json3-dev libfast-float-dev ccache"
debian_test_optional="catch2 chromium clang-19 libc++-19-dev libc++abi-19-dev zstd"
# Newer releases package libFuzzer separately. llvm adds source lines to findings.
debian_fuzz="clang"
debian_fuzz_optional="libclang-rt-dev llvm"

brew_build="cmake ninja cli11 fmt nlohmann-json fast_float openssl@3 libarchive jpeg-turbo libpng utf8proc sqlite ccache"
brew_test="catch2 jq gnuplot"
brew_fuzz="llvm"

# On these systems nothing is installed; a message prints the command.
fedora_build="gcc-c++ cmake ninja-build git python3-pip ccache
  libcurl-devel openssl-devel zlib-devel libarchive-devel turbojpeg-devel libpng-devel utf8proc-devel sqlite-devel
  cli11-devel fmt-devel json-devel fast_float-devel"
fedora_test="catch-devel jq gnuplot chromium"
fedora_fuzz="clang compiler-rt llvm"
arch_build="base-devel cmake ninja git python-pip ccache
  curl openssl zlib libarchive libjpeg-turbo libpng libutf8proc sqlite cli11 fmt nlohmann-json fast_float"
arch_test="catch2 jq gnuplot chromium"
arch_fuzz="clang compiler-rt llvm"

# packages_hint PURPOSE: prints the remedy for missing packages.
packages_hint() {
  if have apt-get; then
    echo "run: apt-get install --no-install-recommends $(for_purpose "$1" "$debian_build python3-pip" "$debian_test" "$debian_fuzz")"
  elif have dnf; then
    echo "run: dnf install $(for_purpose "$1" "$fedora_build" "$fedora_test" "$fedora_fuzz")"
  elif have pacman; then
    echo "run: pacman -S --needed $(for_purpose "$1" "$arch_build" "$arch_test" "$arch_fuzz")"
  elif have brew; then
    echo "run: brew install $(for_purpose "$1" "$brew_build" "$brew_test" "$brew_fuzz")"
  else
    echo "install a C++20 compiler, cmake, ninja, git, python3 with pip, and the development files of curl, openssl, zlib," \
      "libarchive, turbojpeg, libpng, utf8proc and sqlite"
  fi
}

# package_names PURPOSE: prints all packages for a build, for build and test, or for fuzz.
package_names() {
  if is_mac; then
    for_purpose "$1" "$brew_build" "$brew_test" "$brew_fuzz"
  else
    for_purpose "$1" "$debian_build $debian_build_optional" "$debian_test $debian_test_optional" \
      "$debian_fuzz $debian_fuzz_optional"
  fi
}

# for_purpose PURPOSE BUILD TEST FUZZ
for_purpose() {
  # shellcheck disable=SC2086  # Joins the lines of names.
  case $1 in
    test) echo $2 $3 ;;
    fuzz) echo $2 $4 ;;
    *) echo $2 ;;
  esac
}

# require_packages PURPOSE
require_packages() {
  if is_mac; then
    require_brew "$(package_names "$1")"
  elif have apt-get && have dpkg-query; then
    require_apt "$(for_purpose "$1" "$debian_build" "$debian_test" "$debian_fuzz")" \
      "$(for_purpose "$1" "$debian_build_optional" "$debian_test_optional" "$debian_fuzz_optional")"
  else
    require_tools "$1"
  fi
}

# require_apt NEEDED WANTED
require_apt() {
  local needed wanted
  needed=$(missing_debian "$1")
  wanted=$(missing_debian "$2")
  [[ -n $needed$wanted ]] || return 0
  refresh_apt
  wanted=$(known_debian "$wanted")
  [[ -n $needed$wanted ]] || return 0
  install_packages "$needed $wanted" || [[ -z $needed ]] || exit 1
}

missing_debian() {
  local name missing=
  for name in $1; do is_installed "$name" || missing+=" $name"; done
  echo "${missing# }"
}

# is_installed PACKAGE: for tools, checks the command instead, which may not come from a package.
is_installed() {
  case $1 in
    g++ | cmake | git | python3 | jq) have "$1" ;;
    ninja-build) have ninja ;;
    gnuplot-nox) have gnuplot ;;
    clang) have clang++ ;;
    llvm) have llvm-symbolizer ;;
    chromium) have chromium || have chromium-browser || have google-chrome ;;
    *) [[ $(dpkg-query -W -f '${db:Status-Status} ' "$1" 2>/dev/null) == installed* ]] ;;
  esac
}

known_debian() {
  local name known=
  for name in $1; do
    if apt-cache show "$name" >/dev/null 2>&1; then
      known+=" $name"
    else
      say "no package $name on this system; CMake fetches it, or a test is skipped"
    fi
  done
  echo "${known# }"
}

apt_is_fresh=
refresh_apt() {
  [[ -z $apt_is_fresh ]] || return 0
  apt_is_fresh=yes
  as_root apt-get update -q >&2 || say "cannot refresh the package lists; using the old ones"
}

# install_packages NAMES: installs Debian packages, given in one string.
install_packages() {
  local names=()
  read -r -a names <<<"$1"
  if have apt-get; then
    refresh_apt
    say "installing ${names[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
      -o DPkg::Lock::Timeout=600 "${names[@]}" >&2 && return
    say "cannot install packages; run as root: apt-get install --no-install-recommends ${names[*]}"
  fi
  return 1
}

# Runs a command as root. sudo may ask for a password on a terminal only.
as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif have sudo && sudo -n true 2>/dev/null; then
    sudo -n "$@"
  elif have sudo && [[ -t 0 && -t 2 ]]; then
    sudo "$@"
  else
    return 1
  fi
}

require_brew() {
  have brew || fail "Homebrew is missing; install it from https://brew.sh, then run this again"
  xcode-select -p >/dev/null 2>&1 || fail "the compiler is missing; run: xcode-select --install"
  local name installed missing=()
  installed=" $(brew list --formula -1 | tr '\n' ' ') "
  for name in $1; do [[ $installed == *" $name "* ]] || missing+=("$name"); done
  if ((${#missing[@]})); then
    say "installing ${missing[*]}"
    brew install "${missing[@]}" >&2 || fail "cannot install packages; run: brew install ${missing[*]}"
  fi
}

# Prints the folders that CMake searches: Homebrew's prefix, and packages not linked there.
brew_prefixes() { printf '%s;%s;%s\n' "$(brew --prefix openssl@3)" "$(brew --prefix libarchive)" "$(brew --prefix)"; }

# require_tools PURPOSE: fails if a tool is missing. CMake reports missing libraries.
require_tools() {
  local tool
  for tool in c++ cmake ninja git python3; do
    have "$tool" || fail "$tool is missing; $(packages_hint "$1")"
  done
}
