#include "engine/api/peak.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>

#include "device/host/host.h"
#include "engine/timing/timing.h"
#include "engine/torch/failure.h"
#include "engine/torch/tf32.h"

namespace gpubench {
namespace {

/// Short windows, so that some of them fall between two turns of other programs on a busy machine.
constexpr SamplingPolicy kTrialPatience{Seconds{0.002}, Seconds{0.04}, 8};
constexpr SamplingPolicy kFullPatience{Seconds{0.05}, Seconds{4}, 5};
constexpr SamplingPolicy kSingleCall{Seconds{0}, Seconds{0}, 1};

/// For devices that do not tell what is free.
constexpr Bytes kAssumedMemory{std::int64_t{2} << 30};

/// Collects points. Refers to all that it is made of.
struct PeakProbe {
  Device& device;
  const Clock& clock;
  bool is_trial;
  const TellPoint& tell;
  c10::Device place;
  std::vector<PeakPoint> points = {};

  /// A call that takes longer is not worth its time.
  Seconds longest_call() const { return {is_trial ? 0.02 : 2.0}; }

  /// What tensors may take in all: half of what is free.
  Bytes memory() const {
    const Measured<Bytes> free = device.free_memory();
    return free.has_value() ? Bytes{free.value().value / 2} : kAssumedMemory;
  }

  /// Time of a call of `work`.
  Seconds time(const std::function<void()>& work) const {
    return best_call_time(device, clock, is_trial ? kTrialPatience : kFullPatience, work);
  }

  /// What `measure` returns, or the reason why it threw.
  static Measured<double> find_value(const std::function<double()>& measure) {
    try {
      const double value = measure();
      return std::isfinite(value) ? Measured<double>(value) : missing("it took no time on this clock");
    } catch (const std::exception& error) {
      return missing(classify(error).message);
    }
  }

  /// Adds a point with what `measure` returns, or with the reason why it threw. Returns its value.
  Measured<double> add(PeakKind kind, const std::string& precision, std::int64_t size,
                       const std::function<double()>& measure) {
    points.push_back({kind, precision, size, find_value(measure)});
    tell(points.back());
    return points.back().value;
  }

  void add_absent(PeakKind kind, const std::string& precision, const std::string& reason) {
    add(kind, precision, 0, [&]() -> double { throw Unsupported(reason); });
  }
};

// Arithmetic: matrix products and convolutions.

struct ProductPrecision {
  const char* name;
  at::ScalarType type;
  bool uses_tf32 = false;
  bool is_in_trial = true;
  bool is_reference = false;  ///< A trial measures it however slow it is.
};

constexpr std::array<ProductPrecision, 5> kPrecisions{{{"fp32", at::kFloat, false, true, true},
                                                       {"tf32", at::kFloat, true},
                                                       {"bf16", at::kBFloat16},
                                                       {"fp16", at::kHalf},
                                                       {"fp64", at::kDouble, false, false}}};

/// Random numbers: products of zeros draw less power, and so run faster.
at::Tensor random_matrix(std::int64_t size, c10::Device place) {
  return at::randn({size, size}, at::TensorOptions(place));
}

double count_flop(std::int64_t size) { return 2 * std::pow(static_cast<double>(size), 3); }

/// Multiplies two matrices that it holds, whenever it is called. The same for convolutions below: as many
/// multiplications, but by the library that trainings leave theirs to (oneDNN, cuDNN).
std::function<void()> compute_product(c10::Device place, at::ScalarType type, std::int64_t size) {
  const at::Tensor a = random_matrix(size, place).to(type);
  const at::Tensor b = random_matrix(size, place).to(type);
  return [a, b, product = at::empty_like(a)]() mutable { at::mm_out(product, a, b); };
}

/// Sizes are multiples of it.
constexpr std::int64_t kLeastSize = 64;

/// A 1x1 filter with as many channels in and out as there are positions in the batch, channels innermost, as
/// the libraries' own kernels have them. 16 images: for fewer, LibTorch may take a plain product on a CPU.
std::function<void()> make_convolution(c10::Device place, at::ScalarType type, std::int64_t size) {
  const auto tensor = [&](at::IntArrayRef shape) {
    return at::randn(shape, at::TensorOptions(place)).to(type).contiguous(at::MemoryFormat::ChannelsLast);
  };
  const at::Tensor images = tensor({16, size, 4, size / kLeastSize});
  const at::Tensor filter = tensor({size, size, 1, 1});
  return [images, filter] { at::conv2d(images, filter); };
}

std::function<void()> to_work(const PeakProbe& probe, PeakKind kind, at::ScalarType type, std::int64_t size) {
  return kind == PeakKind::kGemm ? compute_product(probe.place, type, size)
                                 : make_convolution(probe.place, type, size);
}

/// So large fp32 is multiplied in every trial, since other figures are held against it.
constexpr std::int64_t kReferenceSize = 1024;

/// The smallest size of a trial decides whether there will be a larger one. On a busy machine it is also the
/// one whose calls are over before another program has its turn.
std::vector<std::int64_t> sizes_for(const PeakProbe& probe, const ProductPrecision& precision) {
  if (!probe.is_trial) return {256, 512, 1024, 2048, 4096, 8192, 16384};
  if (!probe.place.is_cpu()) return {1024, 4096, 8192};
  if (precision.is_reference) return {512, 1024, 2048};
  return {256, 1024, 2048};
}

/// Three matrices, and one that is being converted.
bool fits(const PeakProbe& probe, const ProductPrecision& precision, std::int64_t size) {
  const auto element = static_cast<std::int64_t>(c10::elementSize(precision.type) + sizeof(float));
  return 3 * size * size * element <= probe.memory().value;
}

bool is_worth_its_time(const PeakProbe& probe, std::int64_t size, double flops_per_second) {
  return count_flop(size) <= flops_per_second * probe.longest_call().value;
}

double compute_rate(const PeakProbe& probe, PeakKind kind, const ProductPrecision& precision,
                    std::int64_t size) {
  const Tf32Setting setting(precision.uses_tf32);
  return count_flop(size) / probe.time(to_work(probe, kind, precision.type, size)).value;
}

bool is_needed(PeakKind kind, const ProductPrecision& precision, std::int64_t size) {
  return kind == PeakKind::kGemm && precision.is_reference && size <= kReferenceSize;
}

/// From the smallest size on, as long as the next one is needed or expected to be worth its time.
void measure_precision(PeakProbe& probe, PeakKind kind, const ProductPrecision& precision) {
  Measured<double> rate;
  for (const std::int64_t size : sizes_for(probe, precision)) {
    const bool is_first = !rate.has_value();
    const bool is_wanted = is_first || is_needed(kind, precision, size);
    if (!is_wanted && !is_worth_its_time(probe, size, rate.value())) return;
    if (!is_first && !fits(probe, precision, size)) return;
    rate = probe.add(kind, precision.name, size, [&] { return compute_rate(probe, kind, precision, size); });
    if (!rate.has_value()) return;
  }
}

/// Whether even small products take long, as those of emulated types do: by a single one.
bool is_slow(const PeakProbe& probe, const ProductPrecision& precision) {
  constexpr std::int64_t kSize = 128;
  const Seconds time = best_call_time(probe.device, probe.clock, kSingleCall,
                                      compute_product(probe.place, precision.type, kSize));
  return !is_worth_its_time(probe, sizes_for(probe, precision).front(), count_flop(kSize) / time.value);
}

/// Why there is nothing to measure; empty where there is.
std::string why_not(const PeakProbe& probe, const ProductPrecision& precision) {
  try {
    if (precision.uses_tf32 && !has_tf32(probe.place)) return "TF32 changes no product on this device";
    if (probe.is_trial && !precision.is_reference && is_slow(probe, precision))
      return "too slow for a trial; 'gpubench peak' measures it";
    return {};
  } catch (const std::exception& error) {
    return classify(error).message;
  }
}

void measure_arithmetic(PeakProbe& probe) {
  for (const ProductPrecision& precision : kPrecisions) {
    if (probe.is_trial && !precision.is_in_trial) continue;
    const std::string reason = why_not(probe, precision);
    if (!reason.empty()) {
      probe.add_absent(PeakKind::kGemm, precision.name, reason);
      continue;
    }
    measure_precision(probe, PeakKind::kGemm, precision);
    measure_precision(probe, PeakKind::kConvolution, precision);
  }
}

// Once more, since what disturbs a short trial tends to last longer than one window.

constexpr double kGain = 0.03;
constexpr int kRoundsInVain = 2;

/// No round begins so long after the first one.
constexpr Seconds kMostRepeating{0.6};

/// The best of a kind and precision stand for it, so these are worth the time.
std::vector<PeakPoint*> best_arithmetic(std::vector<PeakPoint>& points) {
  std::vector<PeakPoint*> found;
  for (const PeakPoint& best : headline(points)) {
    if (!is_arithmetic(best.kind) || !best.value.has_value()) continue;
    found.push_back(&*std::ranges::find_if(points, [&](const PeakPoint& point) {
      return point.kind == best.kind && point.precision == best.precision && point.size == best.size;
    }));
  }
  return found;
}

/// Measures the point again. Returns whether that made it better by more than chance does.
bool improve(const PeakProbe& probe, PeakPoint& point) {
  const auto precision = std::ranges::find(kPrecisions, point.precision, &ProductPrecision::name);
  const auto again =
      PeakProbe::find_value([&] { return compute_rate(probe, point.kind, *precision, point.size); });
  const double former = point.value.value();
  if (!again.has_value() || again.value() <= former) return false;
  point.value = again;
  return again.value() > (1 + kGain) * former;
}

/// Until the last rounds found nothing better.
void repeat_arithmetic(PeakProbe& probe) {
  const std::vector<PeakPoint*> points = best_arithmetic(probe.points);
  const Seconds start = probe.clock.now();
  int in_vain = 0;
  while (in_vain < kRoundsInVain && probe.clock.now() - start < kMostRepeating) {
    const auto improved =
        std::ranges::count_if(points, [&](PeakPoint* point) { return improve(probe, *point); });
    in_vain = improved > 0 ? 0 : in_vain + 1;
  }
}

// Memory.

constexpr std::int64_t kMiB = 1 << 20;

/// A copy reads one array and writes one; a triad reads two and writes one.
constexpr double kCopyArrays = 2;
constexpr double kTriadArrays = 3;

std::int64_t cache_bytes() {
  const Measured<Bytes> cache = last_level_cache();
  return cache.has_value() ? cache.value().value : 32 * kMiB;
}

/// Bytes of an array in a trial: three of them are far larger than most caches, and soon written.
std::int64_t trial_bytes(bool is_cpu) {
  return is_cpu ? std::clamp(2 * cache_bytes(), 32 * kMiB, 128 * kMiB) : 256 * kMiB;
}

/// The last size counts: four times the cache, as McCalpin's STREAM asks for, but no less than 256 MiB; the
/// caches of GPUs are smaller than a quarter of 1 GiB.
std::vector<std::int64_t> all_bytes(bool is_cpu) {
  const std::int64_t last = is_cpu ? std::max(4 * cache_bytes(), 256 * kMiB) : 1024 * kMiB;
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = kMiB; size < last; size *= 4) sizes.push_back(size);
  sizes.push_back(last);
  return sizes;
}

std::vector<std::int64_t> array_sizes(const PeakProbe& probe) {
  const bool is_cpu = probe.place.is_cpu();
  auto sizes = probe.is_trial ? std::vector{trial_bytes(is_cpu)} : all_bytes(is_cpu);
  const std::int64_t most = std::max(kMiB, probe.memory().value / 3);
  for (std::int64_t& size : sizes) size = std::min(size, most);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

at::Tensor make_array(std::int64_t bytes, c10::Device place) {
  const auto count = bytes / static_cast<std::int64_t>(sizeof(float));
  return at::full({count}, 1.5, at::TensorOptions(place));
}

double compute_rate(double arrays, const at::Tensor& array, Seconds time) {
  return arrays * static_cast<double>(array.nbytes()) / time.value;
}

double host_copy_rate(const PeakProbe& probe, std::int64_t bytes) {
  at::Tensor to = make_array(bytes, probe.place);
  const at::Tensor from = make_array(bytes, c10::Device(c10::kCPU)).pin_memory();
  return compute_rate(1, to, probe.time([&] { to.copy_(from, /*non_blocking=*/true); }));
}

void measure_host_to_device(PeakProbe& probe) {
  if (probe.place.is_cpu()) {
    return probe.add_absent(PeakKind::kHostToDevice, "", "a CPU computes in the host's memory");
  }
  for (const std::int64_t mebibytes : probe.is_trial ? std::vector{64} : std::vector{1, 16, 64, 256}) {
    const std::int64_t bytes = mebibytes * kMiB;
    probe.add(PeakKind::kHostToDevice, "", bytes, [&] { return host_copy_rate(probe, bytes); });
  }
}

void measure_bandwidth(PeakProbe& probe) {
  for (const std::int64_t bytes : array_sizes(probe)) {
    std::array<at::Tensor, 3> arrays;
    const auto add = [&](PeakKind kind, double moved, const std::function<void()>& work) {
      probe.add(kind, "", bytes, [&] {
        // Written when they are first used: that is what may fail.
        for (at::Tensor& array : arrays) array = array.defined() ? array : make_array(bytes, probe.place);
        return compute_rate(moved, arrays[0], probe.time(work));
      });
    };
    add(PeakKind::kCopy, kCopyArrays, [&] { arrays[0].copy_(arrays[1], /*non_blocking=*/true); });
    add(PeakKind::kTriad, kTriadArrays, [&] { at::add_out(arrays[0], arrays[1], arrays[2], /*alpha=*/0.5); });
  }
  measure_host_to_device(probe);
}

// Launches.

/// In a row, so that the wait at the end of a window does not count.
constexpr std::int64_t kOperations = 1000;

double per_operation(Seconds time) { return time.value / static_cast<double>(kOperations); }

void measure_latency(PeakProbe& probe) {
  const auto tiny_tensor = [&] { return at::ones({1}, at::TensorOptions(probe.place)); };
  const auto work_on = [](at::Tensor& tensor, std::int64_t operations) {
    for (std::int64_t i = 0; i < operations; ++i) at::neg_(tensor);
  };
  probe.add(PeakKind::kLaunch, "", kOperations, [&] {
    at::Tensor tensor = tiny_tensor();
    return per_operation(probe.time([&] { work_on(tensor, kOperations); }));
  });
  const std::string why_no_graph = probe.device.why_no_graph();
  if (!why_no_graph.empty()) return probe.add_absent(PeakKind::kGraphNode, "", why_no_graph);
  probe.add(PeakKind::kGraphNode, "", kOperations, [&] {
    at::Tensor tensor = tiny_tensor();
    const auto recorded =
        probe.device.record_graph([&] { work_on(tensor, 1); }, [&] { work_on(tensor, kOperations); });
    return per_operation(probe.time([&] { recorded->replay(); }));
  });
}

}  // namespace

PeakMeasurement measure_peak(Device& device, const Clock& clock, PeakEffort effort, const TellPoint& tell) {
  PeakProbe probe{device, clock, effort == PeakEffort::kTrial, tell, c10::Device(device.name())};
  measure_arithmetic(probe);
  measure_bandwidth(probe);
  measure_latency(probe);
  if (probe.is_trial) repeat_arithmetic(probe);
  PeakMeasurement measured{device.record(), probe.points};
  set_peak(measured.device, measured.points, utc_timestamp());
  return measured;
}

}  // namespace gpubench
