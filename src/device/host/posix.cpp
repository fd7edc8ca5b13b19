#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include "device/host/platform.h"

namespace gpubench {

std::string kernel_name() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return std::string(names.sysname) + " " + names.release + " " + names.machine;
}

std::string host_name() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "unknown";
  return name;
}

double available_cores() {
  const double affinity = affinity_cores();
  const Reading<double> quota = quota_cores();
  return quota.has_value() ? std::min(affinity, quota.value()) : affinity;
}

}  // namespace gpubench
