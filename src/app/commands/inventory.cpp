#include "app/commands/inventory.h"

#include <algorithm>

#include "app/run/engine_loader.h"
#include "engine/machine/facts.h"
#include "engine/plan/plan.h"
#include "gpubench/core/error.h"
#include "gpubench/record/gpu_match.h"

namespace gpubench {
namespace {

std::string auto_dataset(const ModelEntry& entry) {
  PlanOptions options;
  options.models = {entry.name};
  return make_plan(options, {"cpu"}, load_engine().models(), datasets()).front().dataset->name;
}

MeterSource describe(const PowerSource& source) {
  const bool has_counter = source.read().energy.has_value();
  const std::string power = source.facts.power_quantity;
  const std::string separator = has_counter && !power.empty() ? ", " : "";
  return {source.facts, (has_counter ? "energy counter" : "") + separator + power};
}

/// Loads the engine only where a source is a GPU that it may name; none has a name where there is no
/// LibTorch.
void name_devices(PowerSources& sources, std::string& why_not) {
  const auto is_unnamed = [](const PowerSource& source) { return source.facts.gpu != GpuIdentity(); };
  if (std::ranges::none_of(sources, is_unnamed)) return;
  try {
    Environment here;
    here.visible_devices = visible_devices();
    assign_gpus(sources, metered_environment(here, usable_gpus(load_engine())), why_not);
  } catch (const Error&) {
  }
}

}  // namespace

std::vector<ModelFacts> model_facts() {
  std::vector<ModelFacts> facts;
  for (const ModelEntry& entry : load_engine().models()) {
    const ModelCost cost = load_engine().model_cost(entry);
    facts.push_back({&entry, auto_dataset(entry), cost.parameters, cost.forward_macs});
  }
  return facts;
}

std::vector<DatasetFacts> dataset_facts(const std::string& data_dir) {
  std::vector<DatasetFacts> facts;
  for (const DatasetEntry& entry : datasets()) {
    const auto folder = dataset_folder(entry, data_directory(data_dir));
    facts.push_back({&entry, folder.string(), entry.is_present(folder)});
  }
  return facts;
}

std::string dataset_remedy(const DatasetEntry& entry, const std::string& folder) {
  if (entry.files.empty()) return "put " + entry.summary + " into " + folder;
  return "run 'gpubench data fetch " + entry.name + "'";
}

std::vector<DeviceFacts> device_facts() {
  std::vector<DeviceFacts> facts;
  for (const DeviceEntry& entry : load_engine().device_kinds()) {
    DeviceFacts kind{entry.name, entry.summary, {}, ""};
    const int count = entry.count(kind.why_not);
    for (int index = 0; index < count; ++index) kind.devices.push_back(entry.open(index)->record());
    facts.push_back(std::move(kind));
  }
  return facts;
}

std::vector<MeterFacts> meter_facts() {
  const SteadyClock clock;
  std::vector<MeterFacts> facts;
  for (const MeterEntry& entry : power_meters()) {
    MeterFacts meter{&entry, {}, ""};
    // The others want rights, a file, or to do nothing.
    if (!entry.is_automatic) meter.why_not = "only when asked for with --meter " + entry.name;
    if (entry.is_automatic) {
      PowerSources sources = entry.open({"", clock}, meter.why_not);
      name_devices(sources, meter.why_not);
      for (const PowerSource& source : sources) meter.sources.push_back(describe(source));
    }
    facts.push_back(std::move(meter));
  }
  return facts;
}

std::vector<OpInfo> op_facts() { return load_engine().operations(); }

}  // namespace gpubench
