// The processor's name and cores, as Linux tells them.

#include <array>
#include <set>
#include <string_view>

#include "device/host/linux_host.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

/// Numbers of Arm's registers and what they stand for, from lscpu of util-linux.
struct ArmPart {
  std::string_view implementer;
  std::string_view part;  ///< Empty in the implementer's own row.
  std::string_view name;
};

constexpr std::array kArmParts = std::to_array<ArmPart>({
    {"0x41", "", "Arm"},
    {"0x41", "0xd03", "Arm Cortex-A53"},
    {"0x41", "0xd05", "Arm Cortex-A55"},
    {"0x41", "0xd07", "Arm Cortex-A57"},
    {"0x41", "0xd08", "Arm Cortex-A72"},
    {"0x41", "0xd0b", "Arm Cortex-A76"},
    {"0x41", "0xd0c", "Arm Neoverse-N1"},
    {"0x41", "0xd40", "Arm Neoverse-V1"},
    {"0x41", "0xd41", "Arm Cortex-A78"},
    {"0x41", "0xd42", "Arm Cortex-A78AE"},
    {"0x41", "0xd49", "Arm Neoverse-N2"},
    {"0x41", "0xd4f", "Arm Neoverse-V2"},
    {"0x41", "0xd84", "Arm Neoverse-V3"},
    {"0x41", "0xd85", "Arm Cortex-X925"},
    {"0x41", "0xd87", "Arm Cortex-A725"},
    {"0x41", "0xd8e", "Arm Neoverse-N3"},
    {"0x46", "", "Fujitsu"},
    {"0x46", "0x001", "Fujitsu A64FX"},
    {"0x48", "", "HiSilicon"},
    {"0x48", "0xd01", "HiSilicon TaiShan-v110"},
    {"0x4e", "", "NVIDIA"},
    {"0x4e", "0x004", "NVIDIA Carmel"},
    {"0x51", "", "Qualcomm"},
    {"0x51", "0x001", "Qualcomm Oryon"},
    {"0x61", "", "Apple"},
    {"0x6d", "", "Microsoft"},
    {"0x6d", "0xd49", "Microsoft Azure Cobalt 100"},
    {"0xc0", "", "Ampere"},
    {"0xc0", "0xac3", "Ampere Ampere-1"},
    {"0xc0", "0xac4", "Ampere Ampere-1a"},
});

std::string_view make_name(std::string_view implementer, std::string_view part) {
  for (const ArmPart& known : kArmParts) {
    if (known.implementer == implementer && known.part == part) return known.name;
  }
  return {};
}

/// "Arm Neoverse-V2"; with the number where the name is not known: "Arm part 0xdff".
std::string arm_name(const std::string& implementer, const std::string& part) {
  if (const auto name = make_name(implementer, part); !name.empty()) return std::string(name);
  const std::string_view maker = make_name(implementer, "");
  return (maker.empty() ? "Arm implementer " + implementer : std::string(maker)) + " part " + part;
}

/// The rest of a line of /proc/cpuinfo behind its colon, where it is about `key`; some fill it up with
/// blanks.
std::string find_in_line(const std::string& line, std::string_view key) {
  const std::size_t colon = line.find(": ");
  if (!line.starts_with(key) || colon == std::string::npos) return {};
  return line.substr(colon + 2, line.find_last_not_of(' ') - colon - 1);
}

/// The kinds of cores, which may be several, in the order of the first of each.
std::vector<std::string> arm_names(const HostFiles& files) {
  std::vector<std::string> names;
  std::string implementer;
  for (const std::string& line : files.lines("/proc/cpuinfo")) {
    if (const std::string found = find_in_line(line, "CPU implementer"); !found.empty()) implementer = found;
    const std::string part = find_in_line(line, "CPU part");
    if (!part.empty()) add_once(names, arm_name(implementer, part));
  }
  return names;
}

}  // namespace

std::string read_cpu_name(const HostFiles& files) {
  for (const std::string& line : files.lines("/proc/cpuinfo")) {
    if (const std::string name = find_in_line(line, "model name"); !name.empty()) return name;
  }
  const std::vector<std::string> names = arm_names(files);
  return names.empty() ? "unknown" : join(names, " + ");
}

Measured<std::int64_t> read_physical_cores(const HostFiles& files) {
  std::set<std::string> cores;
  std::string package;
  for (const std::string& line : files.lines("/proc/cpuinfo")) {
    if (line.starts_with("physical id")) package = line;
    if (line.starts_with("core id")) cores.insert(package + line);
  }
  if (!cores.empty()) return std::ssize(cores);
  // Arm's kernels list no cores there. Hyperthreads of a core have the same list of siblings.
  for (const std::string& cpu : files.entries("/sys/devices/system/cpu", "cpu")) {
    const auto siblings = files.line(cpu + "/topology/thread_siblings_list");
    if (siblings.has_value()) cores.insert(siblings.value());
  }
  if (cores.empty()) return missing("neither /proc/cpuinfo nor /sys/devices/system/cpu tells of cores");
  return std::ssize(cores);
}

std::int64_t physical_cores_among(const HostFiles& files, const std::vector<int>& logical) {
  std::set<std::string> cores;
  for (const int cpu : logical) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
    cores.insert(files.line(folder + "/topology/thread_siblings_list").value_or(folder));
  }
  return std::ssize(cores);
}

}  // namespace gpubench
