#pragma once
// Facts about the machine that only its operating system knows. One source a platform: linux.cpp, apple.cpp.

#include <cstdint>
#include <string>

#include "device/host/host.h"
#include "gpubench/core/reading.h"
#include "gpubench/core/units.h"

namespace gpubench {

struct HostFacts {
  std::string host;
  std::string os;
  std::string kernel;
  std::string cpu;
  Reading<std::int64_t> physical_cores;
  Reading<Bytes> memory;
};

HostFacts read_host();

/// Logical cores on which the scheduler may put this process.
int affinity_cores();

/// Cores that a cgroup's CPU quota allows; absent where there is no quota.
Reading<double> quota_cores();

/// Name, release and machine of the running kernel; the same call on every POSIX system.
std::string kernel_name();

}  // namespace gpubench
