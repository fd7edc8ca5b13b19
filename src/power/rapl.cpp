#include <algorithm>
#include <optional>

#include "gpubench/power_meter.h"
#include "power/sources.h"

namespace gpubench::rapl_plugin {
namespace {

const std::string kPowercap = "/sys/class/powercap";

std::string text_in(const HostFiles& files, const std::string& path) { return files.line(path).value_or(""); }

std::string labelled_sensor(const HostFiles& files, const std::string& hwmon, const std::string& label) {
  for (const std::string& path : files.entries(hwmon, "temp")) {
    const std::string ending = "_label";
    if (!path.ends_with(ending) || text_in(files, path) != label) continue;
    return path.substr(0, path.size() - ending.size()) + "_input";
  }
  return "";
}

/// Returns the file with the temperature of `package`, such as "package-0"; empty if unknown.
std::string package_thermometer(const HostFiles& files, const std::string& package) {
  const std::string number = package.substr(package.find('-') + 1);
  std::vector<std::string> of_amd;
  for (const std::string& hwmon : files.entries("/sys/class/hwmon", "hwmon")) {
    const std::string driver = text_in(files, hwmon + "/name");
    if (driver == "k10temp") of_amd.push_back(hwmon);
    if (driver != "coretemp") continue;
    const std::string sensor = labelled_sensor(files, hwmon, "Package id " + number);
    if (!sensor.empty()) return sensor;
  }
  // AMD's driver does not report the package.
  if (of_amd.size() != 1) return "";
  // Tctl controls the fans, and is above the real temperature, Tdie, on some processors.
  const std::string true_sensor = labelled_sensor(files, of_amd.front(), "Tdie");
  return true_sensor.empty() ? labelled_sensor(files, of_amd.front(), "Tctl") : true_sensor;
}

PowerSource open_zone(const HostFiles& files, const std::string& zone, PowerScope scope) {
  const bool is_package = scope == PowerScope::kCpuPackage;
  // "package-0", and "package-0 dram" for its memory.
  const std::string parent = text_in(files, zone.substr(0, zone.rfind(':')) + "/name");
  PowerSourceFacts facts{.meter = "rapl",
                         .part = (parent.empty() ? "" : parent + " ") + text_in(files, zone + "/name"),
                         .device = is_package ? "cpu" : "",
                         .scope = scope};
  const std::string thermometer = is_package ? package_thermometer(files, facts.part) : "";
  const std::int64_t range = files.number(zone + "/max_energy_range_uj").value_or(0);
  return {std::move(facts), [=, last = std::optional<std::int64_t>(), total = std::int64_t{0}]() mutable {
            PowerReading reading{.energy = files.number(zone + "/energy_uj").then([&](std::int64_t shown) {
              // The counter wraps at its range. If the range is unknown, the energy up to it is lost.
              const std::int64_t before = last.value_or(shown);
              total += shown >= before ? shown - before : std::max<std::int64_t>(range - before, 0) + shown;
              last = shown;
              return Joules{static_cast<double>(total) * 1e-6};
            })};
            if (!thermometer.empty()) reading.temperature = scaled<Celsius>(files.number(thermometer), 1e-3);
            return reading;
          }};
}

PowerSources open(const MeterRequest& request, std::string& why_not) {
  const HostFiles& files = request.files;
  // The second prefix has the same counters; some machines have only this one.
  const bool has_first = !files.entries(kPowercap, "intel-rapl:").empty();
  const std::string prefix = has_first ? "intel-rapl:" : "intel-rapl-mmio:";
  PowerSources sources;
  for (const std::string& zone : files.entries(kPowercap, prefix)) {
    // Core and uncore are parts of the package, psys contains it.
    const std::string name = text_in(files, zone + "/name");
    const PowerScope scope = name.starts_with("package") ? PowerScope::kCpuPackage
                             : name == "dram"            ? PowerScope::kDram
                                                         : PowerScope::kUnknown;
    if (scope == PowerScope::kUnknown) continue;
    const Measured<std::int64_t> energy = files.number(zone + "/energy_uj");
    if (energy.has_value()) {
      sources.push_back(open_zone(files, zone, scope));
    } else {
      why_not = energy.reason() + "; run 'sudo chmod a+r " + kPowercap + "/" + prefix +
                "*/energy_uj', which lasts until the next boot (see docs/energy.md)";
    }
  }
  if (sources.empty() && why_not.empty()) {
    why_not = "no CPU energy counter in " + kPowercap +
              " (usual in virtual machines and containers); run gpubench on the host";
  }
  return sources;
}

}  // namespace

MeterEntry entry_rapl() {
  return {"rapl", "Intel and AMD processors, through energy counters of the Linux kernel", true, open};
}

}  // namespace gpubench::rapl_plugin
