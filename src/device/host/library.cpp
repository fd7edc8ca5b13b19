#include "gpubench/host_library.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"

namespace gpubench {
namespace {

[[noreturn]] void fail(const std::string& why) {
  throw Error(ErrorKind::kInternal,
              "the engine cannot be loaded: " + why + "; was LibTorch moved? Run scripts/run.sh again");
}

/// A file that the loader can open by `path`.
struct ImageFile {
  int descriptor = -1;
  std::string path;
  bool has_name = false;  // To be removed after loading.
};

ImageFile open_temporary() {
  ImageFile file;
  file.path = (std::filesystem::temp_directory_path() / "gpubench-engine-XXXXXX").string();
  file.descriptor = mkstemp(file.path.data());
  if (file.descriptor < 0) fail(file.path + ": " + std::strerror(errno));
  file.has_name = true;
  return file;
}

#ifdef __linux__
ImageFile open_image() {
  const int descriptor = memfd_create("gpubench-engine", MFD_CLOEXEC);
  if (descriptor < 0) return open_temporary();
  return {descriptor, "/proc/self/fd/" + std::to_string(descriptor), false};
}
#else
ImageFile open_image() { return open_temporary(); }
#endif

}  // namespace

void* load_library(const std::string& path, const std::string& symbol) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const address = library ? dlsym(library, symbol.c_str()) : nullptr;
  if (address == nullptr) fail(dlerror());
  return address;
}

void* load_library(std::span<const std::byte> image, const std::string& symbol) {
  const ImageFile file = open_image();
  if (!write_all(file.descriptor, image)) fail(std::strerror(errno));
  void* const address = load_library(file.path, symbol);
  if (file.has_name) unlink(file.path.c_str());
  close(file.descriptor);
  return address;
}

}  // namespace gpubench
