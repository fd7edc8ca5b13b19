#include "engine/machine/facts.h"

#include <algorithm>

#include "engine/machine/stores.h"
#include "gpubench/core/collect.h"

namespace gpubench {

namespace {

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
  append(facts.models, engine.models());
  facts.environment = engine.read_environment();
  facts.devices = mapped(request.devices, engine.resolve_device);
  for (const std::string& name : facts.devices) {
    // "auto" and "cpu" may well be one device.
    auto& known = facts.environment.devices;
    if (std::ranges::find(known, name, &DeviceRecord::name) != known.end()) continue;
    const auto device = engine.open_device(name);
    DeviceRecord record = device_with_roof(engine, clock, *device, facts.environment);
    record.calibration_seconds = calibration_store().find(record, facts.environment);
    known.push_back(std::move(record));
  }
  return facts;
}

}  // namespace gpubench
