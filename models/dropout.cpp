#include "dropout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <ATen/ops/dropout.h>
#include <ATen/ops/empty.h>

namespace gpubench {
namespace {

constexpr std::int64_t kElementsPerDraw = 4;  // A draw of 64 bits makes so many of 16.
constexpr std::int64_t kValues = 65536;       // Of a 16-bit integer.

/// 16 random bits for each element of `input`, laid out as it is. LibTorch's own mask takes a draw of its
/// generator and a comparison for each element, in one thread, unless the processor is Intel's.
at::Tensor random_bits(const at::Tensor& input) {
  const std::int64_t draws = (input.numel() + kElementsPerDraw - 1) / kElementsPerDraw;
  const at::Tensor bits =
      at::empty({draws}, at::kLong)
          .random_(std::numeric_limits<std::int64_t>::min(), std::optional<std::int64_t>());
  const at::Tensor words = bits.view(at::kShort);
  if (input.is_non_overlapping_and_dense()) return words.as_strided(input.sizes(), input.strides());
  return words.narrow(0, 0, input.numel()).view(input.sizes());
}

at::Tensor dropout_on_cpu(const at::Tensor& input, double probability) {
  const auto dropped = std::min<std::int64_t>(std::llround(probability * kValues), kValues - 1);
  const std::int64_t least_kept = std::numeric_limits<std::int16_t>::min() + dropped;
  const at::Tensor kept = random_bits(input).ge(least_kept).to(input.scalar_type());
  return input * kept.mul_(static_cast<double>(kValues) / static_cast<double>(kValues - dropped));
}

}  // namespace

at::Tensor dropout(const at::Tensor& input, double probability, bool is_training) {
  if (!is_training || probability <= 0) return input;
  if (input.device().is_cpu()) return dropout_on_cpu(input, probability);
  return at::dropout(input, probability, /*train=*/true);
}

}  // namespace gpubench
