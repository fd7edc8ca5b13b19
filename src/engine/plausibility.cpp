#include "engine/plausibility.h"

#include <fmt/format.h>

#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

/// Training takes three forward passes, and a multiply-accumulate is two operations.
constexpr double kTrainingFlopPerMac = 6;

/// A convolution may do with fewer multiplications than are counted (Winograd's 3x3: 2.25 times fewer; Lavin
/// and Gray, "Fast Algorithms for Convolutional Neural Networks", 2016), and the trial of the peak is short.
constexpr double kTolerance = 3;

Reading<double> peak_of(const std::string& device, const Environment& environment) {
  for (const DeviceRecord& record : environment.devices) {
    if (record.name == device) return record.gemm_flops_per_second;
  }
  return absent("the environment lacks the device");
}

}  // namespace

std::string implausible_rate(const CaseRecord& record, const Environment& environment) {
  const Reading<double> rate = samples_per_second(record);
  const Reading<double> peak = peak_of(record.device, environment);
  if (!rate.has_value() || !peak.has_value() || !record.forward_macs.has_value()) return {};
  const double flops = kTrainingFlopPerMac * static_cast<double>(record.forward_macs.value()) * rate.value();
  if (flops <= kTolerance * peak.value()) return {};
  return fmt::format("{:.3g} FLOP/s, {:.1f} times what a large matrix product reaches on {}", flops,
                     flops / peak.value(), record.device);
}

}  // namespace gpubench
