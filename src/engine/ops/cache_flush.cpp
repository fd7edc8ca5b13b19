#include "engine/ops/cache_flush.h"

#include <algorithm>

#include <ATen/ops/empty.h>

#include "device/host/host.h"

namespace gpubench {
namespace {

/// More than any GPU's second-level cache of today (126 MiB in a B200), and more than most processors have.
constexpr std::int64_t kLeastBytes = std::int64_t{256} << 20;

std::int64_t ballast_bytes(c10::Device device) {
  const Reading<Bytes> cache = last_level_cache();
  if (!device.is_cpu() || !cache.has_value()) return kLeastBytes;
  return std::max(kLeastBytes, 2 * cache.value().value);
}

}  // namespace

CacheFlush::CacheFlush(const std::string& device)
    : ballast_(at::empty({ballast_bytes(c10::Device(device))},
                         at::TensorOptions(c10::Device(device)).dtype(at::kByte))) {}

void CacheFlush::run() { ballast_.zero_(); }

}  // namespace gpubench
