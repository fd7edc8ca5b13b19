#include "engine/judge/plausibility.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/judge/roof.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/utilization.h"

namespace gpubench {
namespace {

/// Where training was not counted: three forward passes of two operations a multiply-accumulate.
constexpr double kTrainingFlopPerMac = 6;

/// A convolution may do with fewer multiplications than are counted (Winograd's 3x3: 2.25 times fewer; Lavin
/// and Gray, "Fast Algorithms for Convolutional Neural Networks", 2016), and the trial of the peak is short.
constexpr double kTolerance = 3;

Reading<double> rate_of(const CaseRecord& record) {
  if (record.train_flop_per_sample.has_value()) return flops_per_second(record);
  const Reading<double> samples = samples_per_second(record);
  if (!samples.has_value() || !record.forward_macs.has_value()) return absent("not counted");
  return kTrainingFlopPerMac * static_cast<double>(record.forward_macs.value()) * samples.value();
}

/// Types that the processor lacks are slow in some kernels and less so in others, but in none faster than
/// fp32.
Reading<double> peak_of(const CaseRecord& record, const Environment& environment) {
  const Reading<double>& own = record.peak_flops_per_second;
  const Reading<double> fp32 = product_peak(environment, record.device, to_string(Precision::kFp32));
  if (!own.has_value() || !fp32.has_value()) return own;
  return std::max(own.value(), fp32.value());
}

}  // namespace

std::string implausible_rate(const CaseRecord& record, const Environment& environment) {
  const Reading<double> rate = rate_of(record);
  const Reading<double> peak = peak_of(record, environment);
  if (!rate.has_value() || !peak.has_value() || rate.value() <= kTolerance * peak.value()) return {};
  return fmt::format("{:.3g} FLOP/s, {:.1f} times what a large matrix product reaches on {}", rate.value(),
                     rate.value() / peak.value(), record.device);
}

}  // namespace gpubench
