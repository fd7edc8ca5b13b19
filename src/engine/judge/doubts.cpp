#include "engine/judge/doubts.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gpubench/core/stats/stats.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
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
  const Trend trend = trend_of(levels);
  const double level = median_of(levels);
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
  const double host = median_of(host_seconds);
  const double ratio = median_of(device_seconds) / host;
  if (host < kShort || std::abs(ratio - 1) <= kPart) return std::nullopt;
  return Warning{"clocks", std::max(ratio, 1 / ratio),
                 fmt::format("the device's own clock says {:.2f} times what the host's says", ratio)};
}

}  // namespace gpubench
