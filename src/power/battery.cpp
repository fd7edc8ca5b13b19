#include <cmath>

#include "gpubench/power_meter.h"
#include "power/sources.h"

namespace gpubench::battery_plugin {
namespace {

const std::string kSupplies = "/sys/class/power_supply";

std::string make_name(const std::string& supply) { return supply.substr(supply.rfind('/') + 1); }

/// Returns the discharge power. Missing in other states, in which the files show the charging power.
Measured<Watts> discharge(const HostFiles& files, const std::string& supply) {
  const Measured<std::string> status = files.line(supply + "/status");
  if (!status.has_value()) return missing("{}; use another meter", status.reason());
  if (status.value() != "Discharging") {
    return missing("{} is not discharging ({}); unplug the charger", make_name(supply), status.value());
  }
  // Some drivers report discharge as a negative number.
  const auto power = scaled<Watts>(files.number(supply + "/power_now"), 1e-6);
  if (power.has_value()) return Watts{std::abs(power.value().value)};
  const auto by_current = files.number(supply + "/current_now").then([&](std::int64_t microamperes) {
    const double amperes = std::abs(static_cast<double>(microamperes)) * 1e-6;
    return scaled<Watts>(files.number(supply + "/voltage_now"), amperes * 1e-6);
  });
  if (by_current.has_value()) return by_current;
  return missing("{} reports no power ({}); use another meter", make_name(supply), by_current.reason());
}

PowerSources open(const MeterRequest& request, std::string& why_not) {
  const HostFiles& files = request.files;
  PowerSources sources;
  const std::vector<std::string> supplies = files.entries(kSupplies, "BAT");
  if (supplies.empty()) why_not = "no battery in " + kSupplies + "; use another meter";
  for (const std::string& supply : supplies) {
    const Measured<Watts> power = discharge(files, supply);
    if (power.has_value()) {
      sources.push_back({{.meter = "battery",
                          .part = make_name(supply),
                          .scope = PowerScope::kBattery,
                          .power_quantity = "battery discharge, coarse"},
                         [=] { return PowerReading{.power = discharge(files, supply)}; }});
    } else {
      why_not = power.reason();
    }
  }
  return sources;
}

}  // namespace

MeterEntry entry_battery() {
  return {"battery", "Whole machine while it runs on battery; coarse", true, open};
}

}  // namespace gpubench::battery_plugin
