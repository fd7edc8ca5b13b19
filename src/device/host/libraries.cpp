// What the C library and OpenBLAS need so that LibTorch runs well beside them.

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "device/host/host.h"

#ifdef __GLIBC__
#include <malloc.h>

#include <climits>
#endif
#ifdef __linux__
#include <dlfcn.h>
#include <link.h>

#include <memory>
#include <vector>

#include "gpubench/core/nearest.h"
#endif

namespace gpubench {

#ifdef __GLIBC__
namespace {

/// Above glibc's own thresholds: at most 32 MiB for mapped blocks, 64 MiB for free memory of the heap.
constexpr std::size_t kLargeBlock = std::size_t{96} << 20;

/// Bytes in blocks that are not mapped by themselves, modulo 2^32: the older call counts in int.
unsigned bytes_in_arenas() {
#if __GLIBC_PREREQ(2, 33)
  return static_cast<unsigned>(mallinfo2().uordblks);
#else
  return static_cast<unsigned>(mallinfo().uordblks);
#endif
}

}  // namespace

void tune_allocator() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 64 << 20);
}

std::string allocator_name() {
  const unsigned before = bytes_in_arenas();
  // Volatile, lest the compiler leaves out a block that nobody writes to.
  void* volatile const block = std::malloc(kLargeBlock);
  const unsigned taken = bytes_in_arenas() - before;
  std::free(block);
  return block != nullptr && taken >= kLargeBlock ? "tuned" : "system";
}
#else
void tune_allocator() {}
std::string allocator_name() { return "system"; }
#endif

namespace {

/// Checks "key:value,key:[a:1,b:2]" outside of brackets.
bool has_all_values(std::string_view settings) {
  int depth = 0;
  bool has_value = false;
  for (const char character : settings) {
    if (character == '[') ++depth;
    if (character == ']') --depth;
    if (character == ':') has_value = true;
    if (character != ',' || depth > 0) continue;
    if (!has_value) return false;
    has_value = false;
  }
  return has_value && depth == 0;
}

}  // namespace

std::string allocator_variable_flaw() {
  for (const char* const name : {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0' || has_all_values(value)) continue;
    return fmt::format("{}={}: a setting has no value; write name:value, separated by commas, or unset it",
                       name, value);
  }
  return {};
}

#ifdef __linux__
namespace {

constexpr int kOwnThreads = 1;  // What openblas_get_parallel() says of a build on pthreads; 2 is OpenMP.

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

int add_openblas(dl_phdr_info* object, std::size_t, void* paths) {
  const std::string path = object->dlpi_name;
  const bool is_openblas = file_name(path).find("openblas") != std::string::npos;
  if (is_openblas) static_cast<std::vector<std::string>*>(paths)->push_back(path);
  return 0;
}

/// Returns true if the library had threads of its own and now uses the caller's alone.
bool silence(const std::string& path) {
  // Asked of the library itself: what a library brought that was loaded privately is not in the global scope.
  const std::unique_ptr<void, int (*)(void*)> library(dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY), dlclose);
  if (library == nullptr) return false;
  auto* const parallel_kind = reinterpret_cast<int (*)()>(dlsym(library.get(), "openblas_get_parallel"));
  auto* const set_threads = reinterpret_cast<void (*)(int)>(dlsym(library.get(), "openblas_set_num_threads"));
  if (parallel_kind == nullptr || set_threads == nullptr || parallel_kind() != kOwnThreads) return false;
  set_threads(1);
  return true;
}

}  // namespace

std::string cure_blas_clash() {
  std::vector<std::string> paths;
  dl_iterate_phdr(add_openblas, &paths);
  std::vector<std::string> silenced;
  for (const std::string& path : paths) {
    if (silence(path)) silenced.push_back(file_name(path));
  }
  if (silenced.empty()) return {};
  return join(silenced) +
         " has threads of its own, which would fight with OpenMP's for the cores: set to one; a build of "
         "OpenBLAS on OpenMP can use all of them";
}
#else
std::string cure_blas_clash() { return {}; }
#endif

}  // namespace gpubench
