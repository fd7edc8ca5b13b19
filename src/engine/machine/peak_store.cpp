#include "engine/machine/peak_store.h"

#include <algorithm>

#include "engine/machine/device_key.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

/// So many trials, each of another run, are unlikely to have been disturbed all.
constexpr int kTrials = 3;

struct StoredPeak {
  bool is_full = false;
  int trials = 0;
  DeviceRecord device;
};

std::string key_of(const DeviceRecord& device, const Environment& environment) {
  return "peak 1; " + device_key(device, environment);
}

std::string text_of(const StoredPeak& peak) {
  return json_text({{"full", peak.is_full}, {"trials", peak.trials}, {"device", to_json(peak.device)}});
}

/// Nothing where the text is not what `text_of` makes.
std::optional<StoredPeak> parse(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    return StoredPeak{json.at("full").get<bool>(), json.at("trials").get<int>(),
                      device_from_json(json.at("device"))};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<StoredPeak> read(const MachineCache& cache, const std::string& key) {
  const auto text = cache.find(key);
  return text ? parse(*text) : std::nullopt;
}

template <class T>
void keep_better(Reading<T>& kept, const Reading<T>& other, bool (*is_better)(const T&, const T&)) {
  if (!other.has_value()) return;
  if (!kept.has_value() || is_better(other.value(), kept.value())) kept = other;
}

template <class T>
bool is_more(const T& a, const T& b) {
  return a > b;
}

template <class T>
bool is_less(const T& a, const T& b) {
  return a < b;
}

void keep_better(Reading<NamedValues>& kept, const Reading<NamedValues>& other) {
  if (!other.has_value()) return;
  NamedValues values = other.value();
  for (const auto& [name, value] : kept.has_value() ? kept.value() : NamedValues()) {
    const auto same = std::find_if(values.begin(), values.end(),
                                   [&name = name](const auto& item) { return item.first == name; });
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
  keep_better(best.triad_bytes_per_second, former.triad_bytes_per_second, is_more);
  keep_better(best.copy_bytes_per_second, former.copy_bytes_per_second, is_more);
  keep_better(best.host_to_device_bytes_per_second, former.host_to_device_bytes_per_second, is_more);
  keep_better(best.launch_latency, former.launch_latency, is_less);
  keep_better(best.graph_node_latency, former.graph_node_latency, is_less);
  return best;
}

}  // namespace

std::optional<DeviceRecord> PeakStore::find(const DeviceRecord& device,
                                            const Environment& environment) const {
  const auto stored = read(cache_, key_of(device, environment));
  if (!stored || (!stored->is_full && stored->trials < kTrials)) return std::nullopt;
  return stored->device;
}

DeviceRecord PeakStore::keep(PeakEffort effort, const DeviceRecord& device,
                             const Environment& environment) const {
  const std::string key = key_of(device, environment);
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

PeakStore peak_store() {
  const auto folder = cache_folder();
  return PeakStore(MachineCache(folder.empty() ? folder : folder / "peaks"));
}

}  // namespace gpubench
