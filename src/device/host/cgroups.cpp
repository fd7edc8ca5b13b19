#include "device/host/cgroups.h"

#include <sstream>

#include "device/host/platform.h"

namespace gpubench {
namespace {

bool has_controller(const std::string& controllers, const std::string& wanted) {
  return ("," + controllers + ",").find("," + wanted + ",") != std::string::npos;
}

/// Of version 2: "max 100000" where there is no limit, else quota and period in microseconds.
Reading<double> quota_v2(const HostFiles& files, const std::string& folder) {
  const auto line = files.line(folder + "/cpu.max");
  std::istringstream text(line.has_value() ? line.value() : "");
  double quota = 0;
  double period = 0;
  if (text >> quota >> period && quota > 0 && period > 0) return quota / period;
  return absent("no CPU quota in " + folder);
}

/// Of version 1: a file for each; the quota is -1 where there is no limit.
Reading<double> quota_v1(const HostFiles& files, const std::string& folder) {
  const auto quota = files.number(folder + "/cpu.cfs_quota_us");
  const auto period = files.number(folder + "/cpu.cfs_period_us");
  const bool is_known = quota.has_value() && period.has_value();
  if (!is_known || quota.value() <= 0 || period.value() <= 0) return absent("no CPU quota in " + folder);
  return static_cast<double>(quota.value()) / static_cast<double>(period.value());
}

}  // namespace

ControlGroup control_group(const HostFiles& files, const std::string& controller) {
  ControlGroup group;
  std::string path;
  for (const std::string& line : files.lines("/proc/self/cgroup")) {  // "0::/a/b" or "4:memory:/a/b"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_v1 = has_controller(controllers, controller);
    if (!is_v1 && !(controllers.empty() && group.is_v2)) continue;
    group.is_v2 = !is_v1;
    path = line.substr(second + 1);
  }
  if (path == "/") path.clear();
  const std::string mount = group.is_v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controller;
  for (; path.starts_with('/'); path.erase(path.rfind('/'))) group.folders.push_back(mount + path);
  group.folders.push_back(mount);
  return group;
}

Reading<double> quota_cores_of(const HostFiles& files) {
  const ControlGroup group = control_group(files, "cpu");
  Reading<double> least = absent("no CPU quota");
  for (const std::string& folder : group.folders) {
    const auto quota = group.is_v2 ? quota_v2(files, folder) : quota_v1(files, folder);
    if (quota.has_value() && (!least.has_value() || quota.value() < least.value())) least = quota;
  }
  return least;
}

Reading<double> quota_cores() { return quota_cores_of(HostFiles()); }

}  // namespace gpubench
