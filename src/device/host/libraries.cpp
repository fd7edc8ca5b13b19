// Settings of the libraries that affect LibTorch's speed on a CPU: the C library, OpenBLAS and OpenMP.

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <memory>
#include <set>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "device/host/host.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"

#ifdef __GLIBC__
#include <malloc.h>

#include <climits>
#endif

extern char** environ;  // Missing in the headers of some systems.

namespace gpubench {

namespace {

#ifdef __GLIBC__
/// Returns the bytes in blocks without their own mapping, modulo 2^32 because the older call counts in int.
unsigned bytes_in_arenas() {
#if __GLIBC_PREREQ(2, 33)
  return static_cast<unsigned>(mallinfo2().uordblks);
#else
  return static_cast<unsigned>(mallinfo().uordblks);
#endif
}
#endif

/// Returns true if each key in settings such as "key:value,key:[a:1,b:2]" has a value. Skips brackets.
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

constexpr const char* kWaitVariables[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"};

/// Prefixes of the variables of OpenMP (GNU, LLVM, Intel) and of libraries that use its threads.
constexpr std::string_view kPrefixes[] = {"OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_"};

/// Finds a function in a library that LibTorch loaded. Returns nullptr if missing.
template <class Function>
Function* loaded(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// Counts the distinct logical cores of all OpenMP places.
std::int64_t bound_cores() {
  auto* const count_places = loaded<int()>("omp_get_num_places");
  auto* const count_cores = loaded<int(int)>("omp_get_place_num_procs");
  auto* const name_cores = loaded<void(int, int*)>("omp_get_place_proc_ids");
  if (count_places == nullptr || count_cores == nullptr || name_cores == nullptr) return 0;
  std::set<int> cores;
  for (int place = 0; place < count_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(std::max(0, count_cores(place))));
    name_cores(place, ids.data());
    cores.insert(ids.begin(), ids.end());
  }
  return std::ssize(cores);
}

}  // namespace

void tune_allocator() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

std::string allocator_name() {
#ifdef __GLIBC__
  // Larger than glibc's dynamic thresholds: at most 32 MiB for mapped blocks, 64 MiB for free heap memory.
  constexpr std::size_t kLargeBlock = std::size_t{96} << 20;
  const unsigned before = bytes_in_arenas();
  // Volatile, so that the compiler does not remove the unused block.
  void* volatile const block = std::malloc(kLargeBlock);
  const unsigned taken = bytes_in_arenas() - before;
  std::free(block);
  if (block != nullptr && taken >= kLargeBlock) return "tuned";
#endif
  return "system";
}

std::string allocator_variable_flaw() {
  for (const char* const name : {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF"}) {
    const std::string value = read_variable(name);
    if (value.empty() || has_all_values(value)) continue;
    return fmt::format("{}={}: a setting has no value; use name:value, separated by commas, or unset it",
                       name, value);
  }
  return {};
}

std::string limit_openblas_threads() {
  constexpr int kOwnThreads = 1;  // Result of openblas_get_parallel() for a pthreads build; 2 is OpenMP.
  for (const char* const name : {"libopenblas.so.0", "libopenblasp.so.0"}) {
    // RTLD_DEFAULT would not find dependencies of a library that was loaded with RTLD_LOCAL.
    const std::unique_ptr<void, int (*)(void*)> library(dlopen(name, RTLD_NOLOAD | RTLD_LAZY), dlclose);
    if (library == nullptr) continue;
    auto* const parallel_kind = reinterpret_cast<int (*)()>(dlsym(library.get(), "openblas_get_parallel"));
    auto* const set_threads =
        reinterpret_cast<void (*)(int)>(dlsym(library.get(), "openblas_set_num_threads"));
    if (parallel_kind == nullptr || set_threads == nullptr || parallel_kind() != kOwnThreads) continue;
    set_threads(1);
    return std::string(name) +
           " has its own threads, which would compete with OpenMP for cores: limited to one thread; "
           "install an OpenMP build of OpenBLAS to use all cores";
  }
  return {};
}

std::string thread_variables() {
  std::vector<std::string> found;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view setting = *variable;
    const bool is_wait_policy = std::ranges::count(kWaitVariables, setting.substr(0, setting.find('='))) > 0;
    const auto begins_setting = [&](std::string_view prefix) { return setting.starts_with(prefix); };
    if (!is_wait_policy && std::ranges::any_of(kPrefixes, begins_setting)) found.emplace_back(setting);
  }
  std::ranges::sort(found);
  return join(found);
}

void choose_wait_policy() {
  if (std::ranges::any_of(kWaitVariables, [](const char* name) { return std::getenv(name) != nullptr; }))
    return;
  // Long spins are faster only while each thread has a core.
  constexpr auto kWindow = std::chrono::milliseconds(30);
  constexpr double kBusyCores = 0.5;
  const HostState before = read_host_state();
  std::this_thread::sleep_for(kWindow);
  const HostState after = read_host_state();
  const bool is_busy =
      after.busy.has_value() && before.busy.has_value() &&
      (after.busy.value() - before.busy.value()).value / (after.at - before.at).value > kBusyCores;
  setenv("GOMP_SPINCOUNT", is_busy ? "1000" : "300000", /*overwrite=*/0);
}

std::string wait_policy() {
  std::vector<std::string> chosen;
  for (const char* name : kWaitVariables) {
    if (const std::string value = read_variable(name); !value.empty())
      chosen.push_back(std::string(name) + "=" + value);
  }
  return chosen.empty() ? "default" : join(chosen);
}

bool spins_while_waiting() {
  if (const std::string count = read_variable("GOMP_SPINCOUNT"); !count.empty()) return count != "0";
  return lower(read_variable("OMP_WAIT_POLICY")) != "passive" && read_variable("KMP_BLOCKTIME") != "0";
}

OpenMpLimits openmp_limits() {
  OpenMpLimits limits{std::numeric_limits<std::int64_t>::max()};
  if (auto* const limit = loaded<int()>("omp_get_thread_limit")) limits.threads = std::max(1, limit());
  if (auto* const is_dynamic = loaded<int()>("omp_get_dynamic")) limits.is_dynamic = is_dynamic() != 0;
  limits.cores = bound_cores();
  return limits;
}

}  // namespace gpubench
