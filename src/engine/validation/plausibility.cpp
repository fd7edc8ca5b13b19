#include "engine/validation/plausibility.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/api/peak.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

/// Best rate in that precision, in FLOP a second.
Measured<double> product_peak(const Environment& environment, const std::string& device,
                              const std::string& precision) {
  const DeviceRecord* const known = device_named(environment, device);
  if (known == nullptr) return missing("nothing is known of " + device);
  if (!known->peak_flops_per_second.has_value()) return missing(known->peak_flops_per_second.reason());
  const double peak = peak_in(*known, precision);
  if (peak > 0) return peak;
  return missing("no peak of {} was measured on {}; run 'gpubench peak'", precision, device);
}

/// The type that autocast multiplies in is the one whose peak counts.
Precision product_precision(Precision precision) {
  if (precision == Precision::kAmpBf16) return Precision::kBf16;
  return precision == Precision::kAmpFp16 ? Precision::kFp16 : precision;
}

/// The precision whose peak is the row's.
std::string peak_name(const CaseRecord& record, const Environment& /*environment*/) {
  return to_string(product_precision(record.mode.precision));
}

/// That of its type, but fp32 where this is faster, or where the type has none.
std::string peak_name(const OpRecord& record, const Environment& environment) {
  const std::string fp32 = to_string(OpType::kFp32);
  const std::string own = to_string(record.type);
  const Measured<double> peak = product_peak(environment, record.device, own);
  const Measured<double> other = product_peak(environment, record.device, fp32);
  if (!peak.has_value()) return other.has_value() ? fp32 : own;
  return other.has_value() && other.value() > peak.value() ? fp32 : own;
}

bool is_from_row(const Environment& environment, const std::string& device, const std::string& precision) {
  const DeviceRecord* const known = device_named(environment, device);
  return known != nullptr &&
         std::ranges::find(known->peak_from_rows, precision) != known->peak_from_rows.end();
}

template <class Record>
void note_peak(Record& record, const Environment& environment) {
  const std::string name = peak_name(record, environment);
  record.peak_flops_per_second = product_peak(environment, record.device, name);
  const PeakSource source =
      is_from_row(environment, record.device, name) ? PeakSource::kRow : PeakSource::kMeasured;
  record.peak_source = record.peak_flops_per_second.then([&](double) { return to_string(source); });
}

template <class Record>
void note_memory_and_launches(Record& record, const Environment& environment, bool is_graph) {
  const DeviceRecord* const device = device_named(environment, record.device);
  if (device == nullptr) {
    const Missing unknown = missing("nothing is known of " + record.device);
    record.peak_bytes_per_second = unknown;
    record.operation_latency = unknown;
    return;
  }
  record.peak_bytes_per_second = device->triad_bytes_per_second;
  record.operation_latency = is_graph ? device->graph_node_latency : device->launch_latency;
}

/// Where training was not counted: three forward passes of two operations a multiply-accumulate.
constexpr double kTrainingFlopPerMac = 6;

/// A convolution may do with fewer multiplications than are counted (Winograd's 3x3: 2.25 times fewer; Lavin
/// and Gray, "Fast Algorithms for Convolutional Neural Networks", 2016), and the trial of the peak is short.
constexpr double kTolerance = 3;

// Rows whose rate can be believed.

bool is_sound(const CaseRecord& record) { return record.status == RowStatus::kOk; }

/// What is said of an operation makes its time doubtful.
bool is_sound(const OpRecord& record) { return record.status == RowStatus::kOk && record.warnings.empty(); }

/// The type in which the row multiplied, whosever peak it is held against; nothing for whole numbers, which
/// say nothing of others.
std::string type_of_products(const CaseRecord& record) {
  return to_string(product_precision(record.mode.precision));
}
std::string type_of_products(const OpRecord& record) {
  const bool is_whole = record.type == OpType::kInt32 || record.type == OpType::kInt64;
  return is_whole ? "" : to_string(record.type);
}

Measured<double> compute_counted_rate(const OpRecord& record) { return flops_per_second(record); }
Measured<double> compute_counted_rate(const CaseRecord& record) { return flops_per_second_of_rank(record); }

/// Lifts the peak of the row's device where the row was above it.
template <class Record>
void lift_by(const Record& record, Environment& environment) {
  const Measured<double> rate = compute_counted_rate(record);
  const Measured<double> peak = product_peak(environment, record.device, peak_name(record, environment));
  const std::string precision = type_of_products(record);
  if (!is_sound(record) || precision.empty() || !rate.has_value() || !peak.has_value()) return;
  if (rate.value() <= peak.value()) return;
  raise_peak(*std::ranges::find(environment.devices, record.device, &DeviceRecord::name), precision,
             rate.value());
}

template <class Record>
void hold(std::vector<Record>& rows, Environment& environment) {
  for (const Record& row : rows) lift_by(row, environment);
  for (Record& row : rows) {
    if (row.peak_flops_per_second.has_value()) note_roof(row, environment);
  }
}

Measured<double> compute_rate(const OpRecord& record) { return compute_counted_rate(record); }

Measured<double> compute_rate(const CaseRecord& record) {
  if (record.train_flop_per_sample.has_value()) return compute_counted_rate(record);
  const Measured<double> samples = samples_per_second(record);
  if (!samples.has_value() || !record.forward_macs.has_value()) return missing("not counted");
  return kTrainingFlopPerMac * static_cast<double>(record.forward_macs.value()) * samples.value() /
         static_cast<double>(record.ranks);
}

/// Types that the processor lacks are slow in some kernels and less so in others, but in none faster than
/// fp32.
Measured<double> find_limit(const CaseRecord& record, const Environment& environment) {
  const Measured<double> own = product_peak(environment, record.device, peak_name(record, environment));
  const Measured<double> fp32 = product_peak(environment, record.device, to_string(Precision::kFp32));
  if (!own.has_value() || !fp32.has_value()) return own;
  return std::max(own.value(), fp32.value());
}
Measured<double> find_limit(const OpRecord& record, const Environment& environment) {
  return product_peak(environment, record.device, peak_name(record, environment));
}

template <class Record>
std::string doubt_about(const Record& record, const Environment& environment) {
  const Measured<double> rate = compute_rate(record);
  const Measured<double> peak = find_limit(record, environment);
  if (!rate.has_value() || !peak.has_value() || rate.value() <= kTolerance * peak.value()) return {};
  return fmt::format(
      "{:.3g} FLOP/s, {:.1f} times what {} reached when its peak was measured; 'gpubench peak' measures that "
      "in full, and --resume then runs the row again",
      rate.value(), rate.value() / peak.value(), record.device);
}

}  // namespace

const DeviceRecord* device_named(const Environment& environment, const std::string& name) {
  const auto found = std::ranges::find(environment.devices, name, &DeviceRecord::name);
  return found == environment.devices.end() ? nullptr : &*found;
}

void note_roof(CaseRecord& record, const Environment& environment) {
  note_peak(record, environment);
  const bool is_graph = record.execution_used == Measured<std::string>(to_string(Execution::kGraph));
  note_memory_and_launches(record, environment, is_graph);
}

void note_roof(OpRecord& record, const Environment& environment) {
  if (record.ranks > 1) {
    const Missing none = missing("a collective is bound by the network, not by the device");
    record.peak_flops_per_second = none;
    record.peak_source = none;
    record.peak_bytes_per_second = none;
    record.operation_latency = none;
    return;
  }
  note_peak(record, environment);
  note_memory_and_launches(record, environment, /*is_graph=*/false);
}

void clamp_to_peaks(RunRecord& run) {
  if (!run.published) hold(run.cases, run.environment);
}

void clamp_to_peaks(OpsRecord& table) {
  if (!table.published) hold(table.rows, table.environment);
}

std::string implausible_rate(const CaseRecord& record, const Environment& environment) {
  return doubt_about(record, environment);
}

std::string implausible_rate(const OpRecord& record, const Environment& environment) {
  return doubt_about(record, environment);
}

namespace {

constexpr std::size_t kLeastEpochs = 4;
constexpr std::size_t kMostEpochs = 100;       // The trend looks at all pairs.
constexpr double kLeastGrowth = 1 << 20;       // Bytes an epoch.
constexpr double kLeastShare = 0.001;          // Of the level, an epoch.
constexpr double kLeastRisingSteps = 2.0 / 3;  // Of all steps from one epoch to the next.

/// The last epochs after the warm-up.
std::vector<double> steady_levels(const std::vector<std::int64_t>& bytes, std::int64_t warmup_epochs) {
  const std::size_t warmup =
      std::min(bytes.size(), static_cast<std::size_t>(std::max<std::int64_t>(0, warmup_epochs)));
  const std::size_t count = std::min(bytes.size() - warmup, kMostEpochs);
  return {bytes.end() - static_cast<std::ptrdiff_t>(count), bytes.end()};
}

/// How many steps make up for a good part of the growth. One jump lifts the slope too, but not each step.
std::size_t rising_steps(const std::vector<double>& levels, double growth) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < levels.size(); ++i) count += levels[i] - levels[i - 1] > growth / 4;
  return count;
}

bool is_steady(const std::vector<double>& levels, const Trend& trend, double growth) {
  const std::size_t steps = levels.size() - 1;
  const std::size_t rising = rising_steps(levels, growth);
  // Four epochs are too few for the test; what falls back now and then, as a cache does, fails it.
  if (rising < steps && !trend.is_significant) return false;
  return static_cast<double>(rising) >= kLeastRisingSteps * static_cast<double>(steps);
}

/// What is known of the cause, for the end of a sentence.
std::string known_cause(const CaseRecord& record) {
  const bool is_lstm = record.model.find("lstm") != std::string::npos;
  return is_lstm && record.device == "mps" ? "; LibTorch's LSTM on MPS does that (pytorch issue 145374)" : "";
}

void warn(std::vector<Warning>& warnings, const CaseRecord& record, const std::string& what,
          const std::vector<std::int64_t>& bytes) {
  const std::vector<double> levels = steady_levels(bytes, record.warmup_epochs);
  if (levels.size() < kLeastEpochs) return;
  const Trend trend = compute_trend(levels);
  const double level = compute_median(levels);
  const double growth = trend.slope * level;
  if (growth <= kLeastGrowth || growth <= kLeastShare * level || !is_steady(levels, trend, growth)) return;
  warnings.push_back(
      {what + "-memory-growth", growth,
       fmt::format("{} memory grew by {} an epoch over the last {} epochs{}", what,
                   byte_text({static_cast<std::int64_t>(growth)}), levels.size(), known_cause(record))});
}

}  // namespace

std::string divergence(std::span<const double> epoch_losses, std::int64_t steps_per_epoch) {
  const auto bad = std::ranges::find_if_not(epoch_losses, [](double x) { return std::isfinite(x); });
  if (bad != epoch_losses.end()) {
    return fmt::format("the training loss of epoch {} is not finite", bad - epoch_losses.begin() + 1);
  }
  const auto epochs = static_cast<std::int64_t>(epoch_losses.size());
  if (epochs < 2 || epochs * steps_per_epoch < kJudgedSteps) return {};
  if (epoch_losses.back() < epoch_losses.front()) return {};
  return fmt::format("the training loss did not fall: {:.4g} in epoch 1, {:.4g} in epoch {}",
                     epoch_losses.front(), epoch_losses.back(), epochs);
}

std::string standstill(std::span<const double> epoch_losses) {
  if (epoch_losses.size() < 2) return {};
  const double first = epoch_losses.front();
  const double last = epoch_losses.back();
  constexpr double kRounding = 1e-7;
  if (!(std::abs(last - first) <= kRounding * std::abs(first))) return {};
  return fmt::format("the training loss did not move: {:.7g} in epoch 1 and in epoch {}", first,
                     epoch_losses.size());
}

std::vector<Warning> growth_warnings(const CaseRecord& record) {
  std::vector<Warning> warnings;
  warn(warnings, record, "host", record.epoch_host_bytes);
  warn(warnings, record, "device", record.epoch_device_bytes);
  return warnings;
}

bool was_still_busy(std::span<const double> windows, std::span<const double> waits) {
  // A busy host pauses for milliseconds: in each of a few windows, but not in each of many.
  constexpr std::size_t kMany = 8;
  constexpr double kPart = 0.1;
  constexpr double kPause = 0.1;
  constexpr double kLeast = 0.001;
  const double least = windows.size() < kMany ? kPause : kLeast;
  bool is_busy = !windows.empty();
  for (std::size_t i = 0; i < windows.size(); ++i) {
    is_busy = is_busy && waits[i] > std::max(least, kPart * windows[i]);
  }
  return is_busy;
}

std::optional<Warning> clock_warning(std::span<const double> device_seconds,
                                     std::span<const double> host_seconds) {
  constexpr double kPart = 0.1;
  constexpr double kShort = 0.001;
  if (device_seconds.empty() || host_seconds.empty()) return std::nullopt;
  const double host = compute_median(host_seconds);
  const double ratio = compute_median(device_seconds) / host;
  if (host < kShort || std::abs(ratio - 1) <= kPart) return std::nullopt;
  return Warning{"clocks", std::max(ratio, 1 / ratio),
                 fmt::format("the device's own clock says {:.2f} times what the host's says", ratio)};
}

}  // namespace gpubench
