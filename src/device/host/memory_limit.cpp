#include "device/host/memory_limit.h"

#include <limits>

#ifdef __linux__
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#endif

namespace gpubench {
namespace {

constexpr Bytes kUnlimited{std::numeric_limits<std::int64_t>::max()};

}  // namespace

#ifdef __linux__

namespace {

/// This process's entries of a size, such as VmData: what RLIMIT_DATA counts, private writable memory.
std::map<std::string, std::int64_t> sizes_in_bytes() {
  std::ifstream in("/proc/self/status");
  std::map<std::string, std::int64_t> sizes;
  for (std::string key; in >> key;) {
    std::int64_t kibibytes = 0;
    if (key.starts_with("Vm") && in >> kibibytes) sizes[key] = kibibytes * 1024;
  }
  return sizes;
}

/// System calls alone: a signal's handler asks too.
Bytes data_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  return {static_cast<std::int64_t>(limit.rlim_cur)};
}

/// What is left of the limit when the private memory is `used`.
Bytes left_of_limit(std::int64_t used) {
  const Bytes limit = data_limit();
  return limit == kUnlimited ? limit : Bytes{std::max<std::int64_t>(0, limit.value - used)};
}

/// So much less than the limit is near it: tensors of a case that fills it are seldom larger.
Bytes margin_of(Bytes limit) { return {limit.value / 16}; }

/// Runs on a signal's stack, so with system calls alone.
void tell_out_of_memory(int fault) {
  constexpr std::string_view kText = "gpubench: crashed with out of memory as the likely cause\n";
  const auto margin = static_cast<std::size_t>(margin_of(data_limit()).value);
  if (mmap(nullptr, margin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, kText.data(), kText.size());
  }
  signal(fault, SIG_DFL);
  raise(fault);  // Takes effect once this returns.
}

void watch_crashes() {
  for (const int fault : {SIGSEGV, SIGBUS}) signal(fault, tell_out_of_memory);
}

}  // namespace

void limit_memory(Bytes size) {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const auto wanted = static_cast<rlim_t>(sizes_in_bytes()["VmData:"] + size.value);
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  if (setrlimit(RLIMIT_DATA, &limit) != 0) return;
  watch_crashes();
}

Bytes memory_left_by_limit() { return left_of_limit(sizes_in_bytes()["VmData:"]); }

bool has_neared_memory_limit() {
  // An exception has freed its tensors by now, so the largest size counts; what is not private hardly
  // changes.
  auto sizes = sizes_in_bytes();
  const std::int64_t most_used = sizes["VmData:"] + sizes["VmPeak:"] - sizes["VmSize:"];
  return left_of_limit(most_used) < margin_of(data_limit());
}

#else

// macOS has no limit of private memory.
void limit_memory(Bytes) {}

Bytes memory_left_by_limit() { return kUnlimited; }

bool has_neared_memory_limit() { return false; }

#endif

}  // namespace gpubench
