#include "engine/machine/facts.h"

#include <algorithm>

#include "engine/machine/stores.h"

namespace gpubench {

namespace {

bool has_device(const Environment& environment, const std::string& name) {
  return std::any_of(environment.devices.begin(), environment.devices.end(),
                     [&](const DeviceRecord& device) { return device.name == name; });
}

/// The device with its roof: the stored one, or that of a trial now.
DeviceRecord device_with_roof(const Engine& engine, const Clock& clock, Device& device,
                              const Environment& environment) {
  const PeakStore store = peak_store();
  DeviceRecord record = device.record();
  if (const auto stored = store.find(record, environment)) {
    copy_peak(*stored, record);
    return record;
  }
  const auto measured = engine.measure_peak(device, clock, PeakEffort::kTrial, [](const PeakPoint&) {});
  copy_peak(store.keep(PeakEffort::kTrial, measured.device, environment), record);
  return record;
}

}  // namespace

EngineFacts gather_facts(const Engine& engine, const Clock& clock, const FactsRequest& request) {
  EngineFacts facts;
  engine.configure(request.threads);
  facts.models.assign(engine.models().begin(), engine.models().end());
  facts.environment = engine.read_environment();
  for (const std::string& name : request.devices) facts.devices.push_back(engine.resolve_device(name));
  for (const std::string& name : facts.devices) {
    // "auto" and "cpu" may well be one device.
    if (has_device(facts.environment, name)) continue;
    const auto device = engine.open_device(name);
    DeviceRecord record = device_with_roof(engine, clock, *device, facts.environment);
    record.calibration_seconds = calibration_store().find(record, facts.environment);
    facts.environment.devices.push_back(std::move(record));
  }
  return facts;
}

}  // namespace gpubench
