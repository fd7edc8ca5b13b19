#include "gpubench/engine/facts.h"

#include <algorithm>

namespace gpubench {

namespace {

bool has_device(const Environment& environment, const std::string& name) {
  return std::any_of(environment.devices.begin(), environment.devices.end(),
                     [&](const DeviceRecord& device) { return device.name == name; });
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
    DeviceRecord record = device->record();
    record.gemm_flops_per_second = engine.gemm_flops_per_second(*device, clock);
    facts.environment.devices.push_back(std::move(record));
  }
  return facts;
}

}  // namespace gpubench
