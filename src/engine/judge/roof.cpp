#include "engine/judge/roof.h"

#include <algorithm>

#include <fmt/format.h>

#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

/// Best rate of a matrix product in that precision, in FLOP a second.
Reading<double> product_peak(const Environment& environment, const std::string& device,
                             const std::string& precision) {
  const DeviceRecord* const known = device_named(environment, device);
  if (known == nullptr) return absent("nothing is known of " + device);
  if (!known->peak_flops_per_second.has_value()) return absent(known->peak_flops_per_second.reason());
  for (const auto& [name, rate] : known->peak_flops_per_second.value()) {
    if (name == precision) return rate;
  }
  return absent("no peak of " + precision + " was measured on " + device + "; run 'gpubench peak'");
}

/// The type that autocast multiplies in is the one whose peak counts.
Precision product_precision(Precision precision) {
  if (precision == Precision::kAmpBf16) return Precision::kBf16;
  return precision == Precision::kAmpFp16 ? Precision::kFp16 : precision;
}

Reading<double> peak_of(const OpRecord& record, const Environment& environment) {
  const Reading<double> fp32 = product_peak(environment, record.device, to_string(OpType::kFp32));
  const bool is_whole = record.type == OpType::kInt32 || record.type == OpType::kInt64;
  if (is_whole) return fp32;
  const Reading<double> own = product_peak(environment, record.device, to_string(record.type));
  if (!own.has_value() || !fp32.has_value()) return fp32.has_value() ? fp32 : own;
  return std::max(own.value(), fp32.value());
}

template <class Record>
void note_memory_and_launches(Record& record, const Environment& environment, bool is_graph) {
  const DeviceRecord* const device = device_named(environment, record.device);
  if (device == nullptr) {
    const Absent unknown = absent("nothing is known of " + record.device);
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

const DeviceRecord* device_named(const Environment& environment, const std::string& name) {
  const auto found = std::ranges::find(environment.devices, name, &DeviceRecord::name);
  return found == environment.devices.end() ? nullptr : &*found;
}

void note_roof(CaseRecord& record, const Environment& environment) {
  record.peak_flops_per_second =
      product_peak(environment, record.device, to_string(product_precision(record.mode.precision)));
  const bool is_graph = record.execution_used == Reading<std::string>(to_string(Execution::kGraph));
  note_memory_and_launches(record, environment, is_graph);
}

void note_roof(OpRecord& record, const Environment& environment) {
  record.peak_flops_per_second = peak_of(record, environment);
  note_memory_and_launches(record, environment, /*is_graph=*/false);
}

std::string implausible_rate(const CaseRecord& record, const Environment& environment) {
  const Reading<double> rate = rate_of(record);
  const Reading<double> peak = peak_of(record, environment);
  if (!rate.has_value() || !peak.has_value() || rate.value() <= kTolerance * peak.value()) return {};
  return fmt::format("{:.3g} FLOP/s, {:.1f} times what a large matrix product reaches on {}", rate.value(),
                     rate.value() / peak.value(), record.device);
}

}  // namespace gpubench
