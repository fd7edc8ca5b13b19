#include "engine/validation/plausibility.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "engine/api/peak.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

const DeviceRecord* device_named(const Environment& environment, const std::string& name) {
  const auto found = std::ranges::find(environment.devices, name, &DeviceRecord::name);
  return found == environment.devices.end() ? nullptr : &*found;
}

Measured<double> product_peak(const Environment& environment, const std::string& device,
                              const std::string& precision) {
  const DeviceRecord* const known = device_named(environment, device);
  if (known == nullptr) return missing("unknown device " + device);
  if (!known->peak_flops_per_second.has_value()) return missing(known->peak_flops_per_second.reason());
  const double peak = peak_in(*known, precision);
  return peak > 0 ? Measured<double>(peak)
                  : missing("no {} peak was measured on {}; run 'gpubench peak'", precision, device);
}

/// Returns the number format of the row's multiplications; empty for integers.
std::string product_type(const CaseRecord& record) {
  const Precision precision = record.mode.precision;
  if (precision == Precision::kAmpBf16) return to_string(Precision::kBf16);
  return to_string(precision == Precision::kAmpFp16 ? Precision::kFp16 : precision);
}
std::string product_type(const OpRecord& record) {
  const bool is_whole = record.type == OpType::kInt32 || record.type == OpType::kInt64;
  return is_whole ? "" : to_string(record.type);
}

/// Returns the precision of the peak that applies to the row: that of its matrix products.
std::string peak_name(const CaseRecord& record, const Environment&) { return product_type(record); }
/// Returns the row's type, or fp32 if its peak is higher or the only one.
std::string peak_name(const OpRecord& record, const Environment& environment) {
  const std::string fp32 = to_string(OpType::kFp32);
  const std::string own = to_string(record.type);
  const Measured<double> peak = product_peak(environment, record.device, own);
  const Measured<double> other = product_peak(environment, record.device, fp32);
  return other.has_value() && (!peak.has_value() || other.value() > peak.value()) ? fp32 : own;
}

template <class Record>
void clear_peak(Record& record, const Missing& why) {
  record.peak_flops_per_second = why;
  record.peak_source = why;
  record.peak_bytes_per_second = why;
  record.operation_latency = why;
}

template <class Record>
void note_peak_of(Record& record, const Environment& environment, bool is_graph) {
  const std::string name = peak_name(record, environment);
  record.peak_flops_per_second = product_peak(environment, record.device, name);
  const DeviceRecord* const device = device_named(environment, record.device);
  if (device == nullptr) return clear_peak(record, record.peak_flops_per_second.why());
  const bool is_from_row = std::ranges::find(device->peak_from_rows, name) != device->peak_from_rows.end();
  record.peak_source = record.peak_flops_per_second.then(
      [&](double) { return to_string(is_from_row ? PeakSource::kRow : PeakSource::kMeasured); });
  record.peak_bytes_per_second = device->triad_bytes_per_second;
  record.operation_latency = is_graph ? device->graph_node_latency : device->launch_latency;
}

// Rows with a trustworthy rate. A warning makes the time of an operation doubtful.
bool is_sound(const CaseRecord& record) { return record.status == RowStatus::kOk; }
bool is_sound(const OpRecord& record) { return record.status == RowStatus::kOk && record.warnings.empty(); }

Measured<double> compute_counted_rate(const OpRecord& record) { return flops_per_second(record); }
Measured<double> compute_counted_rate(const CaseRecord& record) { return flops_per_second_per_rank(record); }

/// Raises the peaks to the rates of sound rows, then updates the peaks in all rows.
template <class Record>
void clamp(std::vector<Record>& rows, Environment& environment) {
  for (const Record& row : rows) {
    const Measured<double> rate = compute_counted_rate(row);
    const Measured<double> peak = product_peak(environment, row.device, peak_name(row, environment));
    const std::string type = product_type(row);
    if (!is_sound(row) || type.empty() || !rate.has_value() || !peak.has_value()) continue;
    if (rate.value() <= peak.value()) continue;
    raise_peak(*std::ranges::find(environment.devices, row.device, &DeviceRecord::name), type, rate.value());
  }
  for (Record& row : rows) {
    if (row.peak_flops_per_second.has_value()) note_peak(row, environment);
  }
}

std::string explain_rate(const Measured<double>& rate, const Measured<double>& peak,
                         const std::string& device) {
  // Convolutions may need fewer multiplications than are counted (Winograd's 3x3: 2.25 times fewer; Lavin and
  // Gray, "Fast Algorithms for Convolutional Neural Networks", 2016), and the peak trial is short.
  constexpr double kTolerance = 3;
  if (!rate.has_value() || !peak.has_value() || rate.value() <= kTolerance * peak.value()) return {};
  return fmt::format(
      "{:.3g} FLOP/s is {:.1f} times the measured peak of {}; run 'gpubench peak' for a full measurement, "
      "then repeat the row with --resume",
      rate.value(), rate.value() / peak.value(), device);
}

/// Adds a warning if `bytes`, the memory at the end of each epoch, grows steadily after the warm-up.
void warn_of_growth(const CaseRecord& record, WarningKind kind, const std::vector<std::int64_t>& bytes,
                    std::vector<Warning>& warnings) {
  constexpr std::int64_t kMinEpochs = 4;
  constexpr std::int64_t kMaxEpochs = 100;      // The trend compares all pairs.
  constexpr double kMinGrowth = 1 << 20;        // Bytes per epoch.
  constexpr double kMinRelativeGrowth = 0.001;  // Growth per epoch over the median level.
  constexpr double kMinRisingSteps = 2.0 / 3;   // Fraction of the steps between epochs that rise.
  const auto count = std::min<std::int64_t>(std::ssize(bytes) - record.warmup_epochs, kMaxEpochs);
  if (count < kMinEpochs) return;
  const std::vector<double> levels(bytes.end() - count, bytes.end());
  const Trend trend = compute_trend(levels);
  const double level = compute_median(levels);
  const double growth = trend.slope * level;
  if (growth <= kMinGrowth || growth <= kMinRelativeGrowth * level) return;
  // Requires growth in most steps: a single jump raises the slope too.
  const auto steps = static_cast<double>(count - 1);
  double rising = 0;
  for (std::size_t i = 1; i < levels.size(); ++i) rising += levels[i] - levels[i - 1] > growth / 4 ? 1 : 0;
  // With only rising steps the trend test is not needed, since four epochs are too few for it.
  if ((rising < steps && !trend.is_significant) || rising < kMinRisingSteps * steps) return;
  warnings.push_back(make_warning(kind, growth, std::to_string(count)));
}

}  // namespace

void note_peak(CaseRecord& record, const Environment& environment) {
  note_peak_of(record, environment,
               record.execution_used == Measured<std::string>(to_string(Execution::kGraph)));
}

void note_peak(OpRecord& record, const Environment& environment) {
  if (record.ranks <= 1) return note_peak_of(record, environment, /*is_graph=*/false);
  clear_peak(record, missing("a collective is limited by the network, not by the device"));
}

void clamp_to_peaks(RunRecord& run) {
  if (run.published) return;
  clamp(run.cases, run.environment);
  clamp(run.operations, run.environment);
}

Measured<Seconds> step_time_at_peak(const StepCost& cost, const CaseRecord& record) {
  if (!record.peak_flops_per_second.has_value()) return record.peak_flops_per_second.why();
  if (!record.peak_bytes_per_second.has_value()) return record.peak_bytes_per_second.why();
  return record.operation_latency.then([&](Seconds latency) {
    return Seconds{cost.flop / record.peak_flops_per_second.value() +
                   cost.bytes / record.peak_bytes_per_second.value() + cost.operations * latency.value};
  });
}

std::string implausible_rate(const CaseRecord& record, const Environment& environment) {
  // A row may run in fp32 if the processor does not support its type, so the higher peak is the limit.
  Measured<double> peak = product_peak(environment, record.device, product_type(record));
  const Measured<double> fp32 = product_peak(environment, record.device, to_string(Precision::kFp32));
  if (peak.has_value() && fp32.has_value()) peak = std::max(peak.value(), fp32.value());
  return explain_rate(compute_counted_rate(record), peak, record.device);
}

std::string implausible_rate(const OpRecord& record, const Environment& environment) {
  const auto peak = product_peak(environment, record.device, peak_name(record, environment));
  return explain_rate(compute_counted_rate(record), peak, record.device);
}

std::string divergence(std::span<const double> epoch_losses, std::int64_t steps_per_epoch) {
  const auto bad = std::ranges::find_if_not(epoch_losses, [](double x) { return std::isfinite(x); });
  if (bad != epoch_losses.end()) {
    return fmt::format("the training loss of epoch {} is not finite", bad - epoch_losses.begin() + 1);
  }
  const auto epochs = static_cast<std::int64_t>(epoch_losses.size());
  constexpr std::int64_t kMinSteps = 200;  // In fewer steps a loss may rise by chance.
  if (epochs < 2 || epochs * steps_per_epoch < kMinSteps) return {};
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
  return fmt::format("the training loss did not change: {:.7g} in epoch 1 and in epoch {}", first,
                     epoch_losses.size());
}

std::vector<Warning> growth_warnings(const CaseRecord& record) {
  std::vector<Warning> warnings;
  warn_of_growth(record, WarningKind::kHostMemoryGrowth, record.epoch_host_bytes, warnings);
  warn_of_growth(record, WarningKind::kDeviceMemoryGrowth, record.epoch_device_bytes, warnings);
  return warnings;
}

std::optional<Warning> clock_warning(std::span<const double> device_seconds,
                                     std::span<const double> host_seconds) {
  constexpr double kTolerance = 0.1;
  constexpr double kShortSeconds = 0.001;
  if (device_seconds.empty() || host_seconds.empty()) return std::nullopt;
  const double host = compute_median(host_seconds);
  const double ratio = compute_median(device_seconds) / host;
  if (host < kShortSeconds || std::abs(ratio - 1) <= kTolerance) return std::nullopt;
  return make_warning(WarningKind::kClocks, std::max(ratio, 1 / ratio), fmt::format("{:.2f}", ratio));
}

}  // namespace gpubench
