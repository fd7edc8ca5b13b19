#include <fmt/format.h>

#include "workloads/selftest/check.h"

namespace gpubench::energy_meter_plugin {
namespace {

constexpr Seconds kLoad{6};
constexpr std::int64_t kUnits = 8;
/// Largest relative difference: sensors average, and counters update only occasionally.
constexpr double kTolerance = 0.15;
/// Smallest ratio of power under load to idle power that counts as a rise.
constexpr double kRise = 1.05;
/// Plausible power of a processor or a board under load. Other values are in a wrong unit.
constexpr Watts kLeast{1};
constexpr Watts kMost{3000};

CheckRow check_load(const std::string& what, const PowerDiagnosis& source) {
  if (!source.load.has_value()) return unchecked(what, source.load.reason());
  const double watts = source.load.value().value;
  if (watts == 0) return failed(what, "0 W under load");
  if (watts < kLeast.value || watts > kMost.value)
    return failed(what, fmt::format("{:.3g} W under load: not plausible in watts", watts));
  if (!source.idle_before.has_value()) return unchecked(what, source.idle_before.reason());
  const double idle = source.idle_before.value().value;
  if (watts == idle) return failed(what, fmt::format("stuck at {:.3g} W", watts));
  if (watts < kRise * idle)
    return failed(
        what, fmt::format("{:.3g} W under load, {:.3g} W idle: does not measure this device", watts, idle));
  return decided(what, true, fmt::format("{:.3g} W under load, {:.3g} W idle", watts, idle));
}

CheckRow check_agreement(const std::string& what, const PowerDiagnosis& source) {
  if (!source.by_counter.has_value()) return unchecked(what, source.by_counter.reason());
  if (!source.by_power.has_value()) return unchecked(what, source.by_power.reason());
  const double by_counter = source.by_counter.value().value;
  const double integrated = source.by_power.value().value;
  return compared(
      what, relative_difference(integrated, by_counter), kTolerance,
      fmt::format("{:.4g} J by the counter, {:.4g} J by integrated power", by_counter, integrated));
}

CheckRows make_rows(const PowerDiagnosis& source, const std::string& device) {
  const std::string& what = source.facts.meter;
  if (source.facts.device == device)
    return {check_load(what, source), check_agreement(what + ", counter vs power", source)};
  if (source.facts.device.empty()) return {unchecked(what, "measures an unknown device")};
  const bool follows_load = source.load.has_value() && source.idle_before.has_value() &&
                            source.load.value().value > kRise * source.idle_before.value().value;
  if (follows_load && source.facts.device != "cpu")
    return {failed(what, fmt::format("reported as the power of {}, but follows the load of {}",
                                     source.facts.device, device))};
  return {unchecked(what, "measures " + source.facts.device)};
}

CheckRows run(Subject& subject) {
  const PowerTrial trial = subject.means.try_power([&] {
    const KnownWork work = subject.make_work();
    const Seconds start = subject.clock.now();
    while (subject.clock.now() - start < kLoad) {
      work.queue(kUnits);
      subject.device.synchronize();
    }
  });
  if (trial.sources.empty()) return {unchecked("", trial.why_none)};
  CheckRows rows;
  for (const PowerDiagnosis& source : trial.sources) {
    for (CheckRow& row : make_rows(source, subject.device.name())) {
      row.message = fmt::format("{}: {}", source.facts.part, row.message);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace

CheckEntry entry_energy_meter() {
  return {{"energy", "power meters follow the device's load in watts, and counter and power agree"}, run};
}

}  // namespace gpubench::energy_meter_plugin
