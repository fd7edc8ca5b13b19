#include "device/host/host_process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __linux__
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#endif

#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <mach/mach.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string_view>

#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"

namespace gpubench {
namespace {

constexpr Bytes kUnlimited{std::numeric_limits<std::int64_t>::max()};

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorKind::kUsage, "cannot be loaded: " + why); }

#ifdef __linux__

/// Returns an entry of /proc/self/status in bytes. RLIMIT_DATA applies to "VmData:", private writable memory.
std::int64_t read_status(const char* key) {
  return 1024 * HostFiles().number("/proc/self/status", key).value_or(0);
}

/// Async-signal-safe: a signal handler calls it.
Bytes read_limit(int resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  return {static_cast<std::int64_t>(limit.rlim_cur)};
}

Bytes left_of_limit(int resource, std::int64_t used) {
  const Bytes limit = read_limit(resource);
  return limit == kUnlimited ? limit : Bytes{std::max<std::int64_t>(0, limit.value - used)};
}

/// Returns the margin below the limit within which the limit counts as reached: few tensors are larger.
Bytes data_margin() { return {read_limit(RLIMIT_DATA).value / 16}; }

/// Signal handler that reports the likely cause of a crash. Uses async-signal-safe calls only.
void report_out_of_memory(int fault) {
  constexpr std::string_view kText = "gpubench: crashed, probably because it ran out of memory\n";
  const auto margin = static_cast<std::size_t>(data_margin().value);
  if (mmap(nullptr, margin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, kText.data(), kText.size());
  }
  signal(fault, SIG_DFL);
  raise(fault);  // Takes effect when the handler returns.
}

#endif

}  // namespace

#ifdef __linux__

std::string executable_path() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) return path.string();
  // Without /proc, use the path with which this process was started.
  const auto* const started_as = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return std::filesystem::absolute(started_as != nullptr ? started_as : "gpubench").string();
}

std::string library_path_variable() { return "LD_LIBRARY_PATH"; }

int create_shared_memory() { return memfd_create("gpubench-dataset", MFD_CLOEXEC); }

bool adopt_orphans() { return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0; }

void end_with_parent(int signal) { prctl(PR_SET_PDEATHSIG, signal); }

std::size_t thread_count() {
  std::error_code error;
  const std::filesystem::directory_iterator threads("/proc/self/task", error);
  return static_cast<std::size_t>(std::distance(begin(threads), end(threads)));
}

Bytes resident_bytes(long ru_maxrss) { return {std::int64_t{ru_maxrss} * 1024}; }

Bytes current_resident() {
  std::int64_t pages = 0;
  std::int64_t resident_pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident_pages;
  return {resident_pages * sysconf(_SC_PAGESIZE)};
}

void forget_peak_resident() { std::ofstream("/proc/self/clear_refs") << 5; }

void limit_memory(Bytes size) {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const auto wanted = static_cast<rlim_t>(read_status("VmData:") + size.value);
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  if (setrlimit(RLIMIT_DATA, &limit) != 0) return;
  for (const int fault : {SIGSEGV, SIGBUS}) signal(fault, report_out_of_memory);
}

Bytes memory_left_by_limit() { return left_of_limit(RLIMIT_DATA, read_status("VmData:")); }

Bytes address_space_left() { return left_of_limit(RLIMIT_AS, read_status("VmSize:")); }

bool has_neared_memory_limit() {
  // Adds the memory freed since the peak, nearly all of it private: the exception has freed its tensors.
  const std::int64_t peak = read_status("VmData:") + read_status("VmPeak:") - read_status("VmSize:");
  return left_of_limit(RLIMIT_DATA, peak) < data_margin();
}

#else

std::string executable_path() {
  std::uint32_t size = 0;
  _NSGetExecutablePath(nullptr, &size);
  std::string path(size, '\0');
  _NSGetExecutablePath(path.data(), &size);
  // Resolves links, since the program's files are beside the link's target.
  std::error_code failure;
  const std::filesystem::path target = std::filesystem::canonical(path.c_str(), failure);
  return failure ? path.c_str() : target.string();
}

std::string library_path_variable() { return "DYLD_LIBRARY_PATH"; }

int create_shared_memory() {
  const std::string name = "/gpubench-" + std::to_string(getpid());
  const int descriptor = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (descriptor < 0) return -1;
  shm_unlink(name.c_str());
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
}

// Apple's frameworks do not support forking.
bool adopt_orphans() { return false; }

void end_with_parent(int /*signal*/) {}

std::size_t thread_count() { return 0; }

Bytes resident_bytes(long ru_maxrss) { return {ru_maxrss}; }

Bytes current_resident() {
  mach_task_basic_info_data_t task{};
  mach_msg_type_number_t size = MACH_TASK_BASIC_INFO_COUNT;
  task_info(mach_task_self(), MACH_TASK_BASIC_INFO, reinterpret_cast<task_info_t>(&task), &size);
  return {static_cast<std::int64_t>(task.resident_size)};
}

void forget_peak_resident() {}

// macOS has no limit for private memory.
void limit_memory(Bytes) {}

Bytes memory_left_by_limit() { return kUnlimited; }

Bytes address_space_left() { return kUnlimited; }

bool has_neared_memory_limit() { return false; }

#endif

void load_library(const std::string& path) {
  if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) fail(dlerror());
}

bool has_library(const std::string& name) { return dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr; }

void* load_library(const std::string& path, const std::string& symbol) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const address = library ? dlsym(library, symbol.c_str()) : nullptr;
  if (address == nullptr) fail(dlerror());
  return address;
}

void* load_library(std::span<const std::byte> image, const std::string& symbol) {
  FileDescriptor file;
  std::string path;
#ifdef __linux__
  // Anonymous memory, which the loader opens through /proc. Some containers have no /proc.
  file.reset(memfd_create("gpubench-engine", MFD_CLOEXEC));
  path = "/proc/self/fd/" + std::to_string(file.get());
#endif
  std::unique_ptr<const char, int (*)(const char*)> name(nullptr, unlink);  // Unlinks the temporary file.
  if (!file.is_open() || access(path.c_str(), R_OK) != 0) {
    path = (std::filesystem::temp_directory_path() / "gpubench-engine-XXXXXX").string();
    file.reset(mkstemp(path.data()));
    if (!file.is_open()) fail(path + ": " + std::strerror(errno));
    name.reset(path.c_str());
  }
  if (!write_all(file.get(), image)) fail(std::strerror(errno));
  return load_library(path, symbol);
}

}  // namespace gpubench
