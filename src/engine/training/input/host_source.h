#pragma once
// A split that stays in host memory, as where the device is too small for it: batches are made in the
// background and sent to the device one by one.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <c10/core/Event.h>

#include "engine/training/input/batch_source.h"
#include "engine/training/input/prefetcher.h"
#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// Samples of a host array, to be copied one by one as the numbers that a model takes. A view: the array
/// outlives it. Immutable, safe to use from several threads.
class SampleRows {
 public:
  /// Writes one sample.
  using Convert = std::function<void(const std::byte* from, std::byte* to)>;

  /// Bytes become numbers in [0, 1] of the format's type, with its strides where samples are images; whole
  /// numbers become int64. Throws an internal Error where the array has not as many bytes as its shape says.
  SampleRows(const HostArray& array, const InputFormat& format);

  /// An uninitialised tensor in host memory for `count` samples, with the strides of the format.
  at::Tensor empty_batch(std::int64_t count, bool is_pinned) const;

  /// Writes the samples at `positions` to the first places of `batch`, which empty_batch() made. Uses no
  /// threads of LibTorch's: those are training meanwhile.
  void copy(std::span<const std::int64_t> positions, const at::Tensor& batch) const;

 private:
  std::span<const std::byte> data_;
  std::vector<std::int64_t> sample_shape_;
  InputFormat format_;
  at::ScalarType type_;       // Of batches.
  std::int64_t values_;       // Of a sample.
  std::size_t sample_bytes_;  // In data_.
  Convert convert_;
};

/// Batches in random order out of host memory. On the CPU the tensors that `next` gives are the buffers
/// themselves, and hold the batch until `next` or `begin_epoch` is called again. An epoch may be left
/// half-way.
class HostSource : public BatchSource {
 public:
  /// Takes the first `limit` samples of `split` (all of them for 0), which outlives this, as does `clock`.
  HostSource(const Split& split, std::int64_t limit, c10::Device device, const InputFormat& format,
             std::int64_t batch_size, const Clock& clock);

  std::int64_t size() const override { return size_; }

  /// The order comes from LibTorch's generator of the CPU, whatever the device.
  void begin_epoch() override;

  /// Where `count` is less than the batch size, the rest of the batch is left out. Throws an internal Error
  /// for more than the batch size or what is left of the epoch, and what went wrong in the background. Is
  /// held up by the device where all buffers wait to be copied.
  Batch next(std::int64_t count) override;

  /// Counts only while the device has nothing else to do: where it is the slower part, it misses nothing.
  Reading<Seconds> waited() const override { return waited_; }

 private:
  struct Buffer {
    at::Tensor inputs;
    at::Tensor targets;
    c10::Event copied;  // To the device; not recorded, and so done, where copies are not queued.
  };

  std::int64_t samples_of(std::int64_t batch) const;
  void fill(Buffer& buffer, std::int64_t batch) const;
  Buffer& await_buffer();
  Seconds end_of_queued_work();
  Batch upload(Buffer& buffer, std::int64_t count);
  c10::Stream stream() const;

  c10::Device device_;
  bool is_queued_;  // Copies to the device are done behind the work that is queued on it.
  std::int64_t size_;
  std::int64_t batch_size_;
  const Clock& clock_;
  SampleRows inputs_;
  SampleRows targets_;
  std::vector<Buffer> buffers_;
  c10::Event queued_;  // The work that was queued when `next` was called.
  at::Tensor order_;   // Of the samples in this epoch.
  std::int64_t batches_given_ = 0;
  Seconds waited_{};
  std::unique_ptr<Prefetcher> prefetcher_;  // Last: its thread uses the members above.
};

}  // namespace gpubench
