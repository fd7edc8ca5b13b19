#include "gpubench/core/error.h"
#include "gpubench/record/names.h"
#include "record/enum_names.h"
#include "record/field_value.h"

namespace gpubench {
namespace {

constexpr EnumNames<PowerScope, 8> kScopes{"scope",
                                           {{{PowerScope::kUnknown, "unknown"},
                                             {PowerScope::kGpuBoard, "gpu-board"},
                                             {PowerScope::kGpuRail, "gpu-rail"},
                                             {PowerScope::kCpuPackage, "cpu-package"},
                                             {PowerScope::kDram, "dram"},
                                             {PowerScope::kSoc, "soc"},
                                             {PowerScope::kSystem, "system"},
                                             {PowerScope::kBattery, "battery"}}}};

constexpr EnumNames<EnergyMethod, 3> kMethods{"energy method",
                                              {{{EnergyMethod::kCounterDifference, "counter-difference"},
                                                {EnergyMethod::kTrapezoid, "trapezoid"},
                                                {EnergyMethod::kSpikeQ30, "spike-q30"}}}};

using E = EnergyRecord;

/// A member that is one of an enumeration.
template <class Enum, std::size_t count>
Access<E> named(Enum E::*pointer, const EnumNames<Enum, count>& names) {
  return {[pointer, &names](const E& record) { return names.name_of(record.*pointer); },
          [pointer, &names](E& record, const FieldValue& value) {
            std::string text;
            assign(text, value);
            record.*pointer = names.value_of(text, ErrorKind::kData);
          }};
}

}  // namespace

std::string to_string(PowerScope scope) { return kScopes.name_of(scope); }
std::string to_string(EnergyMethod method) { return kMethods.name_of(method); }
std::vector<std::string> power_scope_names() { return kScopes.all(); }
PowerScope power_scope_named(const std::string& name) { return kScopes.value_of(name, ErrorKind::kUsage); }

std::span<const Field<EnergyRecord>> energy_fields() {
  static const std::vector<Field<E>> fields = {
      {"meter", "", "meter", Shown::kInTable, member(&E::meter)},
      {"part", "", "part", Shown::kInTable, member(&E::part)},
      {"device", "", "device", Shown::kInFile, member(&E::device)},
      {"scope", "", "scope", Shown::kInTable, named(&E::scope, kScopes)},
      {"quantity", "", "quantity", Shown::kInTable, member(&E::quantity)},
      {"method", "", "method", Shown::kInTable, named(&E::method, kMethods)},
      {"energy_joules", "J", "energy", Shown::kInTable, member(&E::energy)},
      {"energy_low_joules", "J", "low", Shown::kInFile, member(&E::energy_low)},
      {"energy_high_joules", "J", "high", Shown::kInFile, member(&E::energy_high)},
      {"epoch_joules", "J", "epochs", Shown::kInFile, member(&E::epoch_joules)},
      {"window_seconds", "s", "window", Shown::kInTable, member(&E::window)},
      {"peak_watts", "W", "peak", Shown::kInTable, member(&E::peak)},
      {"idle_before_watts", "W", "idle before", Shown::kInTable, member(&E::idle_before)},
      {"idle_after_watts", "W", "idle after", Shown::kInTable, member(&E::idle_after)},
      {"coverage", "fraction", "coverage", Shown::kInTable, member(&E::coverage)},
      {"samples", "", "samples", Shown::kInTable, member(&E::samples)},
      {"source_period_seconds", "s", "source period", Shown::kInTable, member(&E::source_period)},
      {"sampler_load", "fraction", "sampler's load", Shown::kInFile, member(&E::sampler_load)},
      {"watts_start_seconds", "s", "start of watts", Shown::kInFile, member(&E::watts_start)},
      {"watts_step_seconds", "s", "step of watts", Shown::kInFile, member(&E::watts_step)},
      {"watts", "W", "power over time", Shown::kInFile, member(&E::watts)},
      {"epoch_celsius", "°C", "temperature, an epoch each", Shown::kInFile, member(&E::epoch_celsius)},
      {"epoch_hertz", "Hz", "clock, an epoch each", Shown::kInFile, member(&E::epoch_hertz)},
      {"epoch_limit_watts", "W", "power limit, an epoch each", Shown::kInFile, member(&E::epoch_limit_watts)},
      {"epoch_throttle", "", "clock held down by, an epoch each", Shown::kInFile, member(&E::epoch_throttle)},
      {"notes", "", "notes", Shown::kInFile, member(&E::notes)},
  };
  return fields;
}

}  // namespace gpubench
