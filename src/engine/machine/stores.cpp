#include "engine/machine/stores.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "record/document/record_json.h"

namespace gpubench {
namespace {

/// One line.
std::string key_of(const char* what, const DeviceRecord& device, const Environment& environment) {
  return fmt::format("{}; {}; {}; {}; {} threads; LibTorch {}", what, device.name, device.model,
                     environment.cpu, environment.threads, environment.libtorch_version);
}

constexpr const char* kPeak = "peak 1";
constexpr const char* kCalibration = "calibration 1";

MachineCache cache_called(const char* name) {
  const auto folder = cache_folder();
  return MachineCache(folder.empty() ? folder : folder / name);
}

/// So many trials, each of another run, are unlikely to have been disturbed all.
constexpr int kTrials = 3;

struct StoredPeak {
  bool is_full = false;
  int trials = 0;
  DeviceRecord device;
};

std::string text_of(const StoredPeak& peak) {
  return json_text({{"full", peak.is_full}, {"trials", peak.trials}, {"device", to_json(peak.device)}});
}

/// Nothing where the text is not what `text_of` makes.
std::optional<StoredPeak> read(const MachineCache& cache, const std::string& key) {
  try {
    const Json json = Json::parse(cache.find(key).value_or(""));
    return StoredPeak{json.at("full").get<bool>(), json.at("trials").get<int>(),
                      json.at("device").get<DeviceRecord>()};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

template <class T, class IsBetter>
void keep_better(Reading<T>& kept, const Reading<T>& other, IsBetter is_better) {
  if (!other.has_value()) return;
  if (!kept.has_value() || is_better(other.value(), kept.value())) kept = other;
}

void keep_better(Reading<NamedValues>& kept, const Reading<NamedValues>& other) {
  if (!other.has_value()) return;
  NamedValues values = other.value();
  for (const auto& [name, value] : kept.has_value() ? kept.value() : NamedValues()) {
    const auto same = std::ranges::find(values, name, &NamedValues::value_type::first);
    if (same == values.end())
      values.emplace_back(name, value);
    else
      same->second = std::max(same->second, value);
  }
  kept = values;
}

/// `later` with each figure that `former` has better.
DeviceRecord best_of(const DeviceRecord& former, const DeviceRecord& later) {
  DeviceRecord best = later;
  keep_better(best.peak_flops_per_second, former.peak_flops_per_second);
  keep_better(best.triad_bytes_per_second, former.triad_bytes_per_second, std::greater<>());
  keep_better(best.copy_bytes_per_second, former.copy_bytes_per_second, std::greater<>());
  keep_better(best.host_to_device_bytes_per_second, former.host_to_device_bytes_per_second, std::greater<>());
  keep_better(best.launch_latency, former.launch_latency, std::less<>());
  keep_better(best.graph_node_latency, former.graph_node_latency, std::less<>());
  return best;
}

}  // namespace

std::optional<DeviceRecord> PeakStore::find(const DeviceRecord& device,
                                            const Environment& environment) const {
  const auto stored = read(cache_, key_of(kPeak, device, environment));
  if (!stored || (!stored->is_full && stored->trials < kTrials)) return std::nullopt;
  return stored->device;
}

DeviceRecord PeakStore::keep(PeakEffort effort, const DeviceRecord& device,
                             const Environment& environment) const {
  const std::string key = key_of(kPeak, device, environment);
  StoredPeak peak{effort == PeakEffort::kFull, effort == PeakEffort::kTrial, {}};
  copy_peak(device, peak.device);
  if (const auto former = read(cache_, key); former && !peak.is_full) {
    if (former->is_full) return former->device;
    peak.trials += former->trials;
    peak.device = best_of(former->device, peak.device);
  }
  cache_.store(key, text_of(peak));
  return peak.device;
}

PeakStore peak_store() { return PeakStore(cache_called("peaks")); }

Reading<std::vector<double>> CalibrationStore::find(const DeviceRecord& device,
                                                    const Environment& environment) const {
  const auto text = cache_.find(key_of(kCalibration, device, environment));
  const Json list = text ? Json::parse(*text, nullptr, false) : Json();
  const auto is_number = [](const Json& item) { return item.is_number(); };
  if (!list.is_array() || !std::ranges::all_of(list, is_number)) {
    return absent("not calibrated; run 'gpubench calibrate'");
  }
  return list.get<std::vector<double>>();
}

void CalibrationStore::keep(const std::vector<double>& seconds, const DeviceRecord& device,
                            const Environment& environment) const {
  cache_.store(key_of(kCalibration, device, environment), json_text(seconds));
}

CalibrationStore calibration_store() { return CalibrationStore(cache_called("calibrations")); }

}  // namespace gpubench
