#include "engine/machine/facts.h"

#include <algorithm>

#include "engine/machine/stores.h"
#include "gpubench/core/collect.h"

namespace gpubench {

namespace {

DeviceRecord make_trial(const Engine& engine, const Clock& clock, Device& device) {
  return engine.measure_peak(device, clock, PeakEffort::kTrial, [](const PeakPoint&) {}).device;
}

/// The peak of the device: the stored one, or that of a trial now.
DeviceRecord measure_device_peak(const Engine& engine, const Clock& clock, Device& device,
                                 const Environment& environment, bool is_renewed) {
  const PeakStore store = peak_store();
  if (is_renewed) return store.renew(make_trial(engine, clock, device), environment);
  if (const auto stored = store.find(device.record(), environment)) return *stored;
  return store.keep(PeakEffort::kTrial, make_trial(engine, clock, device), environment);
}

}  // namespace

std::vector<DeviceRecord> usable_gpus(const Engine& engine) {
  std::vector<DeviceRecord> gpus;
  for (const std::string& name : engine.usable_devices()) {
    if (name.starts_with("cuda:")) gpus.push_back(engine.open_device(name)->record());
  }
  return gpus;
}

Environment metered_environment(Environment environment, std::vector<DeviceRecord> gpus) {
  environment.devices = std::move(gpus);
  return environment;
}

Measured<Watts> power_limit_in(const PowerSources& sources, const std::string& device) {
  const auto source = std::ranges::find(sources, device, [](const PowerSource& s) { return s.facts.device; });
  if (source == sources.end()) return missing("no power meter reads this device");
  return source->read().limit;
}

Measured<Watts> read_power_limit(const std::string& device, const Environment& run, const Clock& clock) {
  if (device == "cpu") return missing("not read of a CPU");
  return power_limit_in(open_meters("auto", clock, run).sources, device);
}

EngineFacts gather_facts(const Engine& engine, const Clock& clock, const FactsRequest& request) {
  EngineFacts facts;
  engine.configure(request.threads);
  append(facts.models, engine.models());
  facts.environment = engine.read_environment();
  facts.devices = mapped(request.devices, engine.resolve_device);
  const auto is_gpu = [](const std::string& name) { return name.starts_with("cuda:"); };
  if (std::ranges::any_of(facts.devices, is_gpu)) facts.gpus = usable_gpus(engine);
  const Environment metered = metered_environment(facts.environment, facts.gpus);
  for (const std::string& name : facts.devices) {
    // "auto" and "cpu" may well be one device.
    auto& known = facts.environment.devices;
    if (std::ranges::find(known, name, &DeviceRecord::name) != known.end()) continue;
    const auto device = engine.open_device(name);
    DeviceRecord record = device->record();
    copy_peak(measure_device_peak(engine, clock, *device, facts.environment, request.renews_roofs), record);
    record.power_limit = read_power_limit(name, metered, clock);
    known.push_back(std::move(record));
  }
  return facts;
}

}  // namespace gpubench
