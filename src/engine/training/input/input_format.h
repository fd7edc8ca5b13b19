#pragma once
// Samples as rows of numbers, and back.

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/training/input/batch_source.h"

namespace gpubench {

/// Whether the samples have channels to be put last.
inline bool are_images(const std::vector<std::int64_t>& sample_shape) { return sample_shape.size() == 3; }

/// `samples` (count, then `sample_shape`) as a row each, channels last where `format` says so. Copies where
/// the order of values changes.
inline at::Tensor rows_of(const at::Tensor& samples, const std::vector<std::int64_t>& sample_shape,
                          const InputFormat& format) {
  const bool is_permuted = format.is_channels_last && are_images(sample_shape);
  return (is_permuted ? samples.permute({0, 2, 3, 1}) : samples).reshape({samples.size(0), -1});
}

/// The samples of such rows, as a view. With channels last the strides say so even for a single channel,
/// whose memory is the same either way: convolutions go by strides.
inline at::Tensor samples_of(const at::Tensor& rows, const std::vector<std::int64_t>& sample_shape,
                             const InputFormat& format) {
  std::vector<std::int64_t> shape{rows.size(0)};
  if (!format.is_channels_last || !are_images(sample_shape)) {
    shape.insert(shape.end(), sample_shape.begin(), sample_shape.end());
    return rows.view(shape);
  }
  shape.insert(shape.end(), {sample_shape[1], sample_shape[2], sample_shape[0]});
  return rows.view(shape).permute({0, 3, 1, 2});
}

}  // namespace gpubench
