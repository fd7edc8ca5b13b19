#include "engine/api/peak.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <ATen/ATen.h>

#include "device/host/host.h"
#include "engine/timing/timing.h"
#include "engine/torch/failure.h"
#include "engine/torch/tf32.h"

namespace gpubench {
namespace {

/// Short windows, so that some are not interrupted by other programs on a busy machine.
constexpr SamplingPolicy kTrialSampling{Seconds{0.002}, Seconds{0.04}, 8};

struct PeakProbe {
  Device& device;
  const Clock& clock;
  bool is_trial;
  const ReportPoint& report;
  c10::Device place;
  std::vector<PeakPoint> points = {};

  /// Returns the memory for all tensors: half of the free memory, or 1 GiB if that is unknown.
  std::int64_t memory_bytes() const {
    return device.free_memory().value_or({std::int64_t{2} << 30}).value / 2;
  }

  Seconds time(const std::function<void()>& work) const {
    return best_call_time(device, clock, is_trial ? kTrialSampling : SamplingPolicy(), work);
  }

  static Measured<double> find_value(const std::function<double()>& measure) {
    try {
      const double value = measure();
      return std::isfinite(value) ? Measured<double>(value) : missing("too short for this clock");
    } catch (const std::exception& error) {
      return missing(classify(error).message);
    }
  }

  /// Adds the result of `measure`, or the message of its exception.
  Measured<double> add(PeakKind kind, const std::string& precision, std::int64_t size,
                       const std::function<double()>& measure) {
    points.push_back({kind, precision, size, find_value(measure)});
    report(points.back());
    return points.back().value;
  }

  void add_missing(PeakKind kind, const std::string& precision, const std::string& reason) {
    add(kind, precision, 0, [&]() -> double { throw Unsupported(reason); });
  }
};

struct ProductPrecision {
  const char* name;
  at::ScalarType type;
  bool uses_tf32 = false;
  bool is_reference = false;  ///< Measured by trials even if it is slow.
};

constexpr std::array<ProductPrecision, 5> kPrecisions{{{"fp32", at::kFloat, false, true},
                                                       {"tf32", at::kFloat, true},
                                                       {"bf16", at::kBFloat16},
                                                       {"fp16", at::kHalf},
                                                       {"fp64", at::kDouble}}};

double count_flop(std::int64_t size) { return 2 * std::pow(static_cast<double>(size), 3); }

/// Uses random numbers: products of zeros draw less power and run faster.
std::function<void()> make_product(c10::Device place, at::ScalarType type, std::int64_t size) {
  const auto matrix = [&] { return at::randn({size, size}, at::TensorOptions(place)).to(type); };
  const at::Tensor a = matrix();
  const at::Tensor b = matrix();
  return [a, b, product = at::empty_like(a)]() mutable { at::mm_out(product, a, b); };
}

/// Returns a channels-last 1x1 convolution with as many multiplications as make_product(), computed by
/// oneDNN or cuDNN. LibTorch may use a plain matrix product for fewer than 16 images on a CPU. `size` must
/// be a multiple of 64.
std::function<void()> make_convolution(c10::Device place, at::ScalarType type, std::int64_t size) {
  const auto tensor = [&](at::IntArrayRef shape) {
    return at::randn(shape, at::TensorOptions(place)).to(type).contiguous(at::MemoryFormat::ChannelsLast);
  };
  const at::Tensor images = tensor({16, size, 4, size / 64});
  const at::Tensor filter = tensor({size, size, 1, 1});
  return [images, filter] { at::conv2d(images, filter); };
}

/// Returns matrix sizes. The smallest may be the only one whose calls are not interrupted by other programs.
std::vector<std::int64_t> sizes_for(const PeakProbe& probe, const ProductPrecision& precision) {
  if (!probe.is_trial) return {256, 512, 1024, 2048, 4096, 8192, 16384};
  if (!probe.place.is_cpu()) return {1024, 4096, 8192};
  if (precision.is_reference) return {512, 1024, 2048};
  return {256, 1024, 2048};
}

bool is_worth_its_time(const PeakProbe& probe, std::int64_t size, double flops_per_second) {
  const double longest_call = probe.is_trial ? 0.02 : 2.0;
  return count_flop(size) <= flops_per_second * longest_call;
}

double compute_rate(const PeakProbe& probe, PeakKind kind, const ProductPrecision& precision,
                    std::int64_t size) {
  const Tf32Setting setting(precision.uses_tf32);
  const auto make_work = kind == PeakKind::kGemm ? make_product : make_convolution;
  return count_flop(size) / probe.time(make_work(probe.place, precision.type, size)).value;
}

void measure_precision(PeakProbe& probe, PeakKind kind, const ProductPrecision& precision) {
  constexpr std::int64_t kReferenceSize = 1024;  // Part of every trial, for comparison with other figures.
  // Three matrices, and a temporary fp32 matrix during conversion.
  const auto bytes_per_element =
      3 * static_cast<std::int64_t>(c10::elementSize(precision.type) + sizeof(float));
  Measured<double> rate;
  for (const std::int64_t size : sizes_for(probe, precision)) {
    const bool is_first = !rate.has_value();
    const bool is_needed = kind == PeakKind::kGemm && precision.is_reference && size <= kReferenceSize;
    if (!is_first && !is_needed && !is_worth_its_time(probe, size, rate.value())) return;
    if (!is_first && size * size * bytes_per_element > probe.memory_bytes()) return;
    rate = probe.add(kind, precision.name, size, [&] { return compute_rate(probe, kind, precision, size); });
    if (!rate.has_value()) return;
  }
}

std::string why_not(const PeakProbe& probe, const ProductPrecision& precision) {
  try {
    if (precision.uses_tf32 && !has_tf32(probe.place)) return "this device has no TF32 products";
    // Emulated types of a CPU are slow. On a GPU, the first calls take longer, since they load libraries.
    if (!probe.is_trial || precision.is_reference || !probe.place.is_cpu()) return {};
    constexpr std::int64_t kSize = 128;
    constexpr SamplingPolicy kSingleCall{Seconds{0}, Seconds{0}, 1};
    const Seconds time = best_call_time(probe.device, probe.clock, kSingleCall,
                                        make_product(probe.place, precision.type, kSize));
    const double rate = count_flop(kSize) / time.value;
    const bool is_slow = !is_worth_its_time(probe, sizes_for(probe, precision).front(), rate);
    return is_slow ? "too slow for a trial; 'gpubench peak' measures it" : "";
  } catch (const std::exception& error) {
    return classify(error).message;
  }
}

void measure_arithmetic(PeakProbe& probe) {
  for (const ProductPrecision& precision : kPrecisions) {
    if (probe.is_trial && precision.type == at::kDouble) continue;
    const std::string reason = why_not(probe, precision);
    if (!reason.empty()) {
      probe.add_missing(PeakKind::kGemm, precision.name, reason);
      continue;
    }
    measure_precision(probe, PeakKind::kGemm, precision);
    measure_precision(probe, PeakKind::kConvolution, precision);
  }
}

/// Repeats the best points for 0.6 s, since a disturbance may outlast a short trial.
void repeat_arithmetic(PeakProbe& probe) {
  constexpr Seconds kTime{0.6};
  std::vector<PeakPoint*> best;
  for (const PeakPoint& point : headline(probe.points)) {
    if (!is_arithmetic(point.kind) || !point.value.has_value()) continue;
    best.push_back(&*std::ranges::find_if(probe.points, [&](const PeakPoint& other) {
      return other.kind == point.kind && other.precision == point.precision && other.size == point.size;
    }));
  }
  const Seconds start = probe.clock.now();
  while (!best.empty() && probe.clock.now() - start < kTime) {
    for (PeakPoint* const point : best) {
      const auto precision = std::ranges::find(kPrecisions, point->precision, &ProductPrecision::name);
      const auto again =
          PeakProbe::find_value([&] { return compute_rate(probe, point->kind, *precision, point->size); });
      if (again.has_value()) point->value = std::max(point->value.value(), again.value());
    }
  }
}

constexpr std::int64_t kMiB = 1 << 20;

/// Returns array sizes, the largest beyond the caches. On a CPU it is four times the last-level cache, as in
/// McCalpin's STREAM, and at least 256 MiB.
std::vector<std::int64_t> array_sizes(const PeakProbe& probe) {
  const std::int64_t cache = last_level_cache().value_or({32 * kMiB}).value;
  const bool is_cpu = probe.place.is_cpu();
  std::vector<std::int64_t> sizes;
  if (probe.is_trial) {
    sizes = {is_cpu ? std::clamp(2 * cache, 32 * kMiB, 128 * kMiB) : 256 * kMiB};
  } else {
    const std::int64_t last = is_cpu ? std::max(4 * cache, 256 * kMiB) : 1024 * kMiB;
    for (std::int64_t size = kMiB; size < last; size *= 4) sizes.push_back(size);
    sizes.push_back(last);
  }
  const std::int64_t most = std::max(kMiB, probe.memory_bytes() / 3);
  for (std::int64_t& size : sizes) size = std::min(size, most);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

at::Tensor make_array(std::int64_t bytes, c10::Device place) {
  const auto count = bytes / static_cast<std::int64_t>(sizeof(float));
  return at::full({count}, 1.5, at::TensorOptions(place));
}

void measure_host_to_device(PeakProbe& probe) {
  if (probe.place.is_cpu()) {
    return probe.add_missing(PeakKind::kHostToDevice, "", "a CPU computes in host memory");
  }
  for (const std::int64_t mebibytes : probe.is_trial ? std::vector{64} : std::vector{1, 16, 64, 256}) {
    const std::int64_t bytes = mebibytes * kMiB;
    probe.add(PeakKind::kHostToDevice, "", bytes, [&] {
      at::Tensor to = make_array(bytes, probe.place);
      const at::Tensor from = make_array(bytes, c10::Device(c10::kCPU)).pin_memory();
      const Seconds time = probe.time([&] { to.copy_(from, /*non_blocking=*/true); });
      return static_cast<double>(to.nbytes()) / time.value;
    });
  }
}

void measure_bandwidth(PeakProbe& probe) {
  for (const std::int64_t bytes : array_sizes(probe)) {
    std::array<at::Tensor, 3> arrays;
    const auto add = [&](PeakKind kind, double moved_arrays, const std::function<void()>& work) {
      probe.add(kind, "", bytes, [&] {
        // Allocated inside `measure`, so that a failure becomes the reason of the point.
        for (at::Tensor& array : arrays) array = array.defined() ? array : make_array(bytes, probe.place);
        return moved_arrays * static_cast<double>(arrays[0].nbytes()) / probe.time(work).value;
      });
    };
    // A copy reads one array and writes one; a triad reads two and writes one.
    add(PeakKind::kCopy, 2, [&] { arrays[0].copy_(arrays[1], /*non_blocking=*/true); });
    add(PeakKind::kTriad, 3, [&] { at::add_out(arrays[0], arrays[1], arrays[2], /*alpha=*/0.5); });
  }
  measure_host_to_device(probe);
}

void measure_latency(PeakProbe& probe) {
  constexpr std::int64_t kOperations = 1000;  // Enough to make the final wait negligible.
  const auto per_operation = [](Seconds time) { return time.value / static_cast<double>(kOperations); };
  const auto tiny_tensor = [&] { return at::ones({1}, at::TensorOptions(probe.place)); };
  const auto work_on = [](at::Tensor& tensor, std::int64_t operations) {
    for (std::int64_t i = 0; i < operations; ++i) at::neg_(tensor);
  };
  probe.add(PeakKind::kLaunch, "", kOperations, [&] {
    at::Tensor tensor = tiny_tensor();
    return per_operation(probe.time([&] { work_on(tensor, kOperations); }));
  });
  const std::string why_no_graph = probe.device.why_no_graph();
  if (!why_no_graph.empty()) return probe.add_missing(PeakKind::kGraphNode, "", why_no_graph);
  probe.add(PeakKind::kGraphNode, "", kOperations, [&] {
    at::Tensor tensor = tiny_tensor();
    const auto recorded =
        probe.device.record_graph([&] { work_on(tensor, 1); }, [&] { work_on(tensor, kOperations); });
    return per_operation(probe.time([&] { recorded->replay(); }));
  });
}

}  // namespace

PeakMeasurement measure_peak(Device& device, const Clock& clock, PeakEffort effort,
                             const ReportPoint& report) {
  PeakProbe probe{device, clock, effort == PeakEffort::kTrial, report, c10::Device(device.name())};
  measure_arithmetic(probe);
  measure_bandwidth(probe);
  measure_latency(probe);
  if (probe.is_trial) repeat_arithmetic(probe);
  PeakMeasurement measured{device.record(), probe.points};
  set_peak(measured.device, measured.points, utc_timestamp());
  return measured;
}

}  // namespace gpubench
