#include <cmath>

#include "power/entries.h"
#include "power/sources.h"

namespace gpubench {
namespace {

const std::string kSupplies = "/sys/class/power_supply";

/// Empty while the battery discharges.
std::string why_at_rest(const HostFiles& files, const std::string& supply) {
  const Reading<std::string> status = files.line(supply + "/status");
  if (!status.has_value()) return status.reason();
  if (status.value() == "Discharging") return "";
  return supply.substr(supply.rfind('/') + 1) + " does not discharge (" + status.value() + ")";
}

/// Some drivers tell what a battery gives as a negative number.
Reading<Watts> discharge(const HostFiles& files, const std::string& supply) {
  const auto power = scaled<Watts>(files.number(supply + "/power_now"), 1e-6);
  if (power.has_value()) return Watts{std::abs(power.value().value)};
  const Reading<std::int64_t> microamperes = files.number(supply + "/current_now");
  const Reading<std::int64_t> microvolts = files.number(supply + "/voltage_now");
  if (!microamperes.has_value()) return absent(microamperes.reason());
  if (!microvolts.has_value()) return absent(microvolts.reason());
  return Watts{std::abs(static_cast<double>(microamperes.value())) * 1e-6 *
               static_cast<double>(microvolts.value()) * 1e-6};
}

class BatterySource : public PowerSource {
 public:
  BatterySource(HostFiles files, std::string supply) : files_(std::move(files)), supply_(std::move(supply)) {}

  PowerSourceFacts facts() const override {
    PowerSourceFacts facts;
    facts.meter = "battery";
    facts.part = supply_.substr(supply_.rfind('/') + 1);
    facts.scope = PowerScope::kBattery;
    facts.power_quantity = "battery discharge, coarse";
    return facts;
  }

  PowerReading read() override {
    PowerReading reading;
    const std::string why_not = why_at_rest(files_, supply_);
    // Plugged in, the figure is what goes into the battery.
    reading.power = why_not.empty() ? discharge(files_, supply_) : absent(why_not);
    return reading;
  }

 private:
  HostFiles files_;
  std::string supply_;
};

PowerSources open(const MeterRequest&, std::string& why_not) { return battery_sources(HostFiles(), why_not); }

}  // namespace

PowerSources battery_sources(const HostFiles& files, std::string& why_not) {
  PowerSources sources;
  const std::vector<std::string> supplies = files.entries(kSupplies, "BAT");
  if (supplies.empty()) why_not = "no battery in " + kSupplies;
  for (const std::string& supply : supplies) {
    const std::string rest = why_at_rest(files, supply);
    const Reading<Watts> power = discharge(files, supply);
    if (rest.empty() && power.has_value()) {
      sources.push_back(std::make_unique<BatterySource>(files, supply));
    } else {
      why_not = rest.empty() ? power.reason() : rest;
    }
  }
  return sources;
}

MeterEntry entry_battery() {
  return {"battery", "the whole machine, while it runs from a battery; coarse", true, open};
}

}  // namespace gpubench
