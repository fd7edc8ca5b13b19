#include <algorithm>

#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include "device/host/host.h"
#include "engine/peak/peak_probe.h"

namespace gpubench {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

/// A copy reads one array and writes one; a triad reads two and writes one.
constexpr double kCopyArrays = 2;
constexpr double kTriadArrays = 3;

std::int64_t cache_bytes() {
  const Reading<Bytes> cache = last_level_cache();
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

std::vector<std::int64_t> sizes_for(const PeakProbe& probe, bool is_cpu) {
  auto sizes = probe.is_trial() ? std::vector<std::int64_t>{trial_bytes(is_cpu)} : all_bytes(is_cpu);
  const std::int64_t most = std::max(kMiB, probe.memory().value / 3);
  for (std::int64_t& size : sizes) size = std::min(size, most);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

at::Tensor array_of(std::int64_t bytes, c10::Device place) {
  const auto count = bytes / static_cast<std::int64_t>(sizeof(float));
  return at::full({count}, 1.5, at::TensorOptions(place));
}

double rate_of(double arrays, const at::Tensor& array, Seconds time) {
  return arrays * static_cast<double>(array.nbytes()) / time.value;
}

Seconds copy_time(const PeakProbe& probe, at::Tensor& to, const at::Tensor& from) {
  return probe.time([&] { to.copy_(from, /*non_blocking=*/true); });
}

/// Three arrays that are written when they are first used: that is what may fail.
class Arrays {
 public:
  Arrays(std::int64_t bytes, c10::Device place) : bytes_(bytes), place_(place) {}

  double copy_rate(const PeakProbe& probe) {
    write();
    return rate_of(kCopyArrays, a_, copy_time(probe, a_, b_));
  }

  double triad_rate(const PeakProbe& probe) {
    write();
    return rate_of(kTriadArrays, a_, probe.time([&] { at::add_out(a_, b_, c_, /*alpha=*/0.5); }));
  }

 private:
  void write() {
    for (at::Tensor* array : {&a_, &b_, &c_}) {
      if (!array->defined()) *array = array_of(bytes_, place_);
    }
  }

  std::int64_t bytes_;
  c10::Device place_;
  at::Tensor a_;
  at::Tensor b_;
  at::Tensor c_;
};

double host_copy_rate(const PeakProbe& probe, std::int64_t bytes, c10::Device place) {
  at::Tensor to = array_of(bytes, place);
  const at::Tensor from = array_of(bytes, c10::Device(c10::kCPU)).pin_memory();
  return rate_of(1, to, copy_time(probe, to, from));
}

void measure_host_to_device(PeakProbe& probe, c10::Device place) {
  if (place.is_cpu()) {
    probe.add_absent(PeakKind::kHostToDevice, "", "a CPU computes in the host's memory");
    return;
  }
  for (const std::int64_t mebibytes : probe.is_trial() ? std::vector{64} : std::vector{1, 16, 64, 256}) {
    const std::int64_t bytes = mebibytes * kMiB;
    probe.add(PeakKind::kHostToDevice, "", bytes, [&] { return host_copy_rate(probe, bytes, place); });
  }
}

}  // namespace

void measure_bandwidth(PeakProbe& probe) {
  const c10::Device place(probe.device().name());
  for (const std::int64_t bytes : sizes_for(probe, place.is_cpu())) {
    Arrays arrays(bytes, place);
    probe.add(PeakKind::kCopy, "", bytes, [&] { return arrays.copy_rate(probe); });
    probe.add(PeakKind::kTriad, "", bytes, [&] { return arrays.triad_rate(probe); });
  }
  measure_host_to_device(probe, place);
}

}  // namespace gpubench
