#include "device/host/host_process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <mach/mach.h>
#endif

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace gpubench {

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

#endif

}  // namespace gpubench
