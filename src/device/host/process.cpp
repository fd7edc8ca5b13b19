#include "gpubench/host_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <mach/mach.h>
#endif

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

namespace gpubench {
namespace {

constexpr Bytes kUnlimited{std::numeric_limits<std::int64_t>::max()};

}  // namespace

#ifdef __linux__

std::string executable_path() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

int create_shared_memory() { return memfd_create("gpubench-dataset", MFD_CLOEXEC); }

bool adopt_orphans() { return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0; }

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

namespace {

/// What RLIMIT_DATA counts: private writable memory.
Bytes data_size() {
  std::ifstream in("/proc/self/status");
  for (std::string key; in >> key;) {
    std::int64_t kibibytes = 0;
    if (key == "VmData:" && in >> kibibytes) return {kibibytes * 1024};
  }
  return {0};
}

}  // namespace

void limit_memory(Bytes size) {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const auto wanted = static_cast<rlim_t>((data_size() + size).value);
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  setrlimit(RLIMIT_DATA, &limit);
}

Bytes memory_left_by_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  return {std::max<std::int64_t>(0, static_cast<std::int64_t>(limit.rlim_cur) - data_size().value)};
}

#else

std::string executable_path() {
  std::uint32_t size = 0;
  _NSGetExecutablePath(nullptr, &size);
  std::string path(size, '\0');
  _NSGetExecutablePath(path.data(), &size);
  return path.c_str();
}

int create_shared_memory() {
  const std::string name = "/gpubench-" + std::to_string(getpid());
  const int descriptor = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (descriptor < 0) return -1;
  shm_unlink(name.c_str());
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
}

// Apple's frameworks do not survive a fork.
bool adopt_orphans() { return false; }

std::size_t thread_count() { return 0; }

Bytes resident_bytes(long ru_maxrss) { return {ru_maxrss}; }

Bytes current_resident() {
  mach_task_basic_info_data_t task{};
  mach_msg_type_number_t size = MACH_TASK_BASIC_INFO_COUNT;
  task_info(mach_task_self(), MACH_TASK_BASIC_INFO, reinterpret_cast<task_info_t>(&task), &size);
  return {static_cast<std::int64_t>(task.resident_size)};
}

void forget_peak_resident() {}

// Private memory has no limit of its own here.
void limit_memory(Bytes) {}

Bytes memory_left_by_limit() { return kUnlimited; }

#endif

}  // namespace gpubench
