#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "device/host/host_library.h"
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
  FileDescriptor descriptor;
  std::string path;
  bool has_name = false;  // To be removed after loading.
};

ImageFile open_temporary() {
  ImageFile file;
  file.path = (std::filesystem::temp_directory_path() / "gpubench-engine-XXXXXX").string();
  file.descriptor.reset(mkstemp(file.path.data()));
  if (!file.descriptor.is_open()) fail(file.path + ": " + std::strerror(errno));
  file.has_name = true;
  return file;
}

#ifdef __linux__
ImageFile open_image() {
  FileDescriptor memory(memfd_create("gpubench-engine", MFD_CLOEXEC));
  if (!memory.is_open()) return open_temporary();
  std::string path = "/proc/self/fd/" + std::to_string(memory.get());
  return {std::move(memory), std::move(path), false};
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
  if (!write_all(file.descriptor.get(), image)) fail(std::strerror(errno));
  void* const address = load_library(file.path, symbol);
  if (file.has_name) unlink(file.path.c_str());
  return address;
}

}  // namespace gpubench
