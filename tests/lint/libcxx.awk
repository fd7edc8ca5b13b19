# Reads all sources and headers, after the output of sha256sum of them. For each source a file of the folder `work` is
# written, of the contents that its compilation rests on, and a line printed: that file, the kind of compilation, the source.
#
# Kinds: "plain" and "test" do without LibTorch, "tensor" and "nn" do not; "apple" is once more what differs on macOS.

FILENAME == hashes { hash[$2] = $1; next }
/^#include "/ {
  split($0, part, "\"")
  includes[FILENAME] = includes[FILENAME] " " part[2]
}
/^#include <(torch|ATen|c10)\// { has_torch[FILENAME] = 1 }
/^#include <torch\// { has_nn[FILENAME] = 1 }
/^#include <(sys\/)?[a-z_]+\.h>/ || /__APPLE__|__linux__|F_FULLFSYNC/ { has_system[FILENAME] = 1 }

END {
  for (file in hash) if (file ~ /\.cpp$/) tell(file)
}

# The file that `from` includes by that name; empty where a build makes it.
function resolved(from, name, folders, count, i, path) {
  sub(/[^\/]*$/, "", from)
  count = split(from " include/ src/ models/ tests/", folders, " ")
  for (i = 1; i <= count; ++i) {
    path = folders[i] name
    if (path in hash) return path
  }
  return ""
}

# Adds to `contents`, `is_torch` and `is_nn` what the file and all that it includes has.
function visit(file, names, count, i, path) {
  seen[file] = 1
  contents = contents hash[file] "\n"
  if (file in has_torch) is_torch = 1
  if (file in has_nn) is_nn = 1
  count = split(includes[file], names, " ")
  for (i = 1; i <= count; ++i) {
    path = resolved(file, names[i])
    if (path != "" && !(path in seen)) visit(path)
  }
}

function tell(source) {
  split("", seen)
  contents = ""
  is_torch = is_nn = 0
  visit(source)
  if (source != "src/device/host/apple.cpp") put(source, is_nn ? "nn" : is_torch ? "tensor" : source ~ /^tests/ ? "test" : "plain")
  if (!is_torch && source in has_system && !("src/device/host/linux_host.h" in seen)) put(source, "apple")
}

function put(source, kind, name) {
  name = work "/" ++number
  printf "%s %s\n%s", kind, source, contents >name
  close(name)
  print name, kind, source
}
