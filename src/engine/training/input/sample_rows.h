#pragma once
// Samples of a host array, copied one by one as the numbers that a model takes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/training/input/batch_source.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// A view of a host array, which outlives it. Immutable, safe to use from several threads.
class SampleRows {
 public:
  /// Bytes become numbers in [0, 1] of the format's type, with its strides where samples are images; whole
  /// numbers become int64. Throws an internal Error where the array has not as many bytes as its shape says.
  SampleRows(const HostArray& array, const InputFormat& format);

  /// An uninitialised tensor in host memory for `count` samples, with the strides of the format.
  at::Tensor empty_batch(std::int64_t count, bool is_pinned) const;

  /// Writes the samples at `positions` to the first places of `batch`, which empty_batch() made. Uses no
  /// threads of LibTorch's: those are training meanwhile.
  void copy(std::span<const std::int64_t> positions, const at::Tensor& batch) const;

 private:
  /// Writes one sample, of `channels` planes of `pixels` bytes each, with the channels of a pixel together.
  using Convert = void (*)(const std::byte* from, const at::Tensor& table, std::int64_t channels,
                           std::int64_t pixels, std::byte* to);

  template <class Element>
  static void convert(const std::byte* from, const at::Tensor& table, std::int64_t channels,
                      std::int64_t pixels, std::byte* to);
  static void widen(const std::byte* from, const at::Tensor& table, std::int64_t channels, std::int64_t count,
                    std::byte* to);
  static Convert converter(std::size_t element_size);

  std::span<const std::byte> data_;
  std::vector<std::int64_t> sample_shape_;
  InputFormat format_;
  at::ScalarType type_;           // Of batches.
  std::size_t sample_bytes_ = 0;  // In data_.
  std::int64_t channels_ = 1;     // Planes that become interleaved.
  std::int64_t pixels_ = 0;       // Of a plane.
  at::Tensor table_;              // What each byte becomes; undefined where samples stay as they are.
  Convert convert_ = nullptr;
};

}  // namespace gpubench
