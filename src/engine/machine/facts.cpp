#include "engine/machine/facts.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "record/document/wire.h"

namespace gpubench {

struct StoredPeak {
  bool full = false;
  int trials = 0;
  DeviceRecord device;
};
GPUBENCH_PARTS(StoredPeak, full, trials, device)

namespace {

/// Trials, each in another run. It is unlikely that all of them were disturbed.
constexpr int kTrials = 3;

std::string make_key(const DeviceRecord& device, const Environment& environment) {
  return fmt::format("{}{}; {}; {}; {} threads; LibTorch {}", PeakStore::kKeyPrefix, device.name,
                     device.model, environment.cpu, environment.threads, environment.libtorch_version);
}

/// Returns nullopt if the fact is missing or invalid.
std::optional<StoredPeak> read(const MachineFacts& facts, const std::string& key) {
  try {
    StoredPeak peak;
    read_wire(parse_document(facts.find_fact(key).value_or("")), peak);
    return peak;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

Measured<Watts> read_power_limit(const std::string& device, const Environment& run, const Clock& clock) {
  if (device == "cpu") return missing("not read on a CPU");
  const PowerSources sources = open_meters("auto", clock, run).sources;
  const auto source = std::ranges::find(sources, device, [](const PowerSource& s) { return s.facts.device; });
  if (source == sources.end()) return missing("no power meter reads this device");
  return source->read().limit;
}

}  // namespace

std::optional<DeviceRecord> PeakStore::find(const DeviceRecord& device,
                                            const Environment& environment) const {
  const auto stored = read(facts_, make_key(device, environment));
  if (!stored || (!stored->full && stored->trials < kTrials)) return std::nullopt;
  return stored->device;
}

DeviceRecord PeakStore::keep(PeakEffort effort, const DeviceRecord& device, const Environment& environment,
                             bool is_renewed) {
  const std::string key = make_key(device, environment);
  StoredPeak peak{effort == PeakEffort::kFull, effort == PeakEffort::kTrial, {}};
  if (const auto former = read(facts_, key); former && !peak.full) {
    if (former->full && !is_renewed) return former->device;
    peak = {former->full, std::min(former->trials + (is_renewed ? 0 : 1), kTrials), former->device};
  }
  improve_peak(device, peak.device);
  facts_.keep_fact(key, json_text(wire_json(peak)));
  return peak.device;
}

void PeakStore::raise_peak(const DeviceRecord& device, const Environment& environment) {
  const std::string key = make_key(device, environment);
  auto peak = read(facts_, key);
  if (!peak || device.peak_from_rows.empty()) return;
  constexpr double kTolerance = 0.1;
  bool is_disturbed = false;
  for (const std::string& precision : device.peak_from_rows) {
    const double stored = peak_in(peak->device, precision);
    const double rate = peak_in(device, precision);
    if (rate <= stored) continue;
    gpubench::raise_peak(peak->device, precision, rate);
    is_disturbed = is_disturbed || (stored > 0 && rate > (1 + kTolerance) * stored);
  }
  if (is_disturbed) {
    peak->trials = peak->full ? kTrials - 1 : std::min(peak->trials, kTrials - 1);
    peak->full = false;
  }
  facts_.keep_fact(key, json_text(wire_json(*peak)));
}

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

EngineFacts gather_facts(const Engine& engine, const Clock& clock, const FactsRequest& request) {
  EngineFacts facts;
  for (const std::string& shape : request.shapes)
    engine.check_operation(request.op, parse_op_case(shape, "--shape"));
  engine.configure(request.threads);
  facts.environment = engine.read_environment();
  facts.devices = mapped(request.devices, engine.resolve_device);
  const auto is_gpu = [](const std::string& name) { return name.starts_with("cuda:"); };
  if (std::ranges::any_of(facts.devices, is_gpu)) facts.gpus = usable_gpus(engine);
  const Environment metered = metered_environment(facts.environment, facts.gpus);
  MachineFacts peaks(request.stored_peaks);
  PeakStore store(peaks);
  for (const std::string& name : facts.devices) {
    // "auto" and "cpu" may be the same device.
    auto& known = facts.environment.devices;
    if (std::ranges::find(known, name, &DeviceRecord::name) != known.end()) continue;
    const auto device = engine.open_device(name);
    DeviceRecord record = device->record();
    auto peak = request.renews_peaks ? std::nullopt : store.find(record, facts.environment);
    if (!peak) {
      const auto trial = engine.measure_peak(*device, clock, PeakEffort::kTrial, [](const PeakPoint&) {});
      peak = store.keep(PeakEffort::kTrial, trial.device, facts.environment, request.renews_peaks);
    }
    copy_peak(*peak, record);
    record.power_limit = read_power_limit(name, metered, clock);
    known.push_back(std::move(record));
  }
  std::ranges::set_difference(peaks.facts, request.stored_peaks,
                              std::inserter(facts.new_peaks, facts.new_peaks.end()));
  return facts;
}

}  // namespace gpubench
