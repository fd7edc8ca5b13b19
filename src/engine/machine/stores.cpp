#include "engine/machine/stores.h"

#include <algorithm>

#include <fmt/format.h>

#include "record/document/document_file.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

/// Of products and convolutions; what was kept as "peak 1" knew products alone.
constexpr const char* kPeak = "peak 2";

/// One line.
std::string make_key(const DeviceRecord& device, const Environment& environment) {
  return fmt::format("{}; {}; {}; {}; {} threads; LibTorch {}", kPeak, device.name, device.model,
                     environment.cpu, environment.threads, environment.libtorch_version);
}

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

std::string to_text(const StoredPeak& peak) {
  return json_text({{"full", peak.is_full}, {"trials", peak.trials}, {"device", to_json(peak.device)}});
}

/// More than kTrials are as good as these. Throws for what is no number of trials.
int trials_in(const Json& count) {
  if (!count.is_number_unsigned()) throw Error(ErrorKind::kData, "trials are counted");
  return static_cast<int>(std::min<std::uint64_t>(count.get<std::uint64_t>(), kTrials));
}

/// Nothing where the text is not what `to_text` makes.
std::optional<StoredPeak> read(const MachineCache& cache, const std::string& key) {
  try {
    const Json json = parse_document(cache.find(key).value_or(""));
    return StoredPeak{json.at("full").get<bool>(), trials_in(json.at("trials")),
                      json.at("device").get<DeviceRecord>()};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// A measurement that a row was above by more than this was disturbed.
constexpr double kLittle = 0.1;

/// Takes the rates of rows into `peak`. Returns whether one says that the measurement was disturbed.
bool take_rates(StoredPeak& peak, const DeviceRecord& device) {
  bool is_disturbed = false;
  for (const std::string& precision : device.peak_from_rows) {
    const double stored = peak_in(peak.device, precision);
    const double rate = peak_in(device, precision);
    if (rate <= stored) continue;
    raise_peak(peak.device, precision, rate);
    is_disturbed = is_disturbed || (stored > 0 && rate > (1 + kLittle) * stored);
  }
  return is_disturbed;
}

}  // namespace

std::optional<DeviceRecord> PeakStore::find(const DeviceRecord& device,
                                            const Environment& environment) const {
  const auto stored = read(cache_, make_key(device, environment));
  if (!stored || (!stored->is_full && stored->trials < kTrials)) return std::nullopt;
  return stored->device;
}

DeviceRecord PeakStore::keep(PeakEffort effort, const DeviceRecord& device,
                             const Environment& environment) const {
  const std::string key = make_key(device, environment);
  StoredPeak peak{effort == PeakEffort::kFull, effort == PeakEffort::kTrial, {}};
  if (const auto former = read(cache_, key); former && !peak.is_full) {
    if (former->is_full) return former->device;
    peak.trials += former->trials;
    peak.device = former->device;
  }
  improve_peak(device, peak.device);
  cache_.store(key, to_text(peak));
  return peak.device;
}

DeviceRecord PeakStore::renew(const DeviceRecord& device, const Environment& environment) const {
  const std::string key = make_key(device, environment);
  const auto former = read(cache_, key);
  if (!former) return keep(PeakEffort::kTrial, device, environment);
  StoredPeak peak = *former;
  improve_peak(device, peak.device);
  cache_.store(key, to_text(peak));
  return peak.device;
}

void PeakStore::raise_peak(const DeviceRecord& device, const Environment& environment) const {
  const std::string key = make_key(device, environment);
  auto peak = read(cache_, key);
  if (!peak || device.peak_from_rows.empty()) return;
  if (take_rates(*peak, device)) {
    peak->trials = peak->is_full ? kTrials - 1 : std::min(peak->trials, kTrials - 1);
    peak->is_full = false;
  }
  cache_.store(key, to_text(*peak));
}

PeakStore peak_store() { return PeakStore(cache_called("peaks")); }

}  // namespace gpubench
