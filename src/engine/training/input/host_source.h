#pragma once
// A split that stays in host memory: batches are made in the background and sent to the device one by one.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include "engine/training/input/batch_source.h"
#include "engine/training/input/prefetcher.h"
#include "gpubench/core/clock.h"

namespace gpubench {

/// Samples of a host array, to be copied one by one. The array outlives it. Immutable, so thread-safe.
class SampleRows {
 public:
  /// Writes one sample.
  using Convert = std::function<void(const std::byte* from, std::byte* to)>;

  /// Images get the format's strides; with `is_converted` values are converted(). Throws an internal Error if
  /// the array's size contradicts its shape.
  SampleRows(const HostArray& array, const InputFormat& format, bool is_converted);

  /// Returns an uninitialised tensor in host memory for `count` samples, with the strides of the format.
  at::Tensor empty_batch(std::int64_t count, bool is_pinned) const;

  /// Copies the samples at `positions` to the front of `batch`. Leaves LibTorch's threads to the training.
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

enum class Transfer {
  kNone,    ///< None, for a CPU: buffers are given out as they are.
  kCopied,  ///< On request, as the data has them; the device converts them.
  kQueued   ///< Ahead of time, on a stream beside the training; the device converts them.
};

/// Batches in random order out of host memory. Without a transfer the inputs that `next` returns are buffers,
/// valid until `next` or `begin_epoch` is called again. An epoch may be left half-way.
class HostSource : public BatchSource {
 public:
  /// Takes the first `limit` samples of `split` (all of them for 0), which outlives this, as does `clock`.
  /// `transfer` defaults to the fastest for the device.
  HostSource(const Split& split, std::int64_t limit, c10::Device device, const InputFormat& format,
             std::int64_t batch_size, const Clock& clock, const SampleDraw& draw = {},
             std::optional<Transfer> transfer = {});

  std::int64_t size() const override { return size_; }

  /// The order comes from a generator of the CPU, whatever the device.
  void begin_epoch() override;

  /// Throws an internal Error for more than the batch size or the rest of the epoch, and the exceptions of
  /// the background thread. Waits for the device if all buffers hold batches that it has not used yet.
  Batch next(std::int64_t count) override;

  /// Counts only time in which the device is idle.
  Measured<Seconds> waited() const override { return waited_; }

 private:
  struct Buffer {
    Batch host;
    Batch device;       // Where copies are queued, as are the events.
    c10::Event copied;  // To the device.
    c10::Event used;    // By the training, so that the device has the place for the next batch.
  };

  std::int64_t count_samples(std::int64_t batch) const;
  Buffer empty_buffer() const;
  void fill(Buffer& buffer, std::int64_t batch) const;
  void send(Buffer& buffer) const;
  Buffer& await_buffer();
  Batch received(Buffer& buffer, std::int64_t count) const;
  c10::Stream stream() const;

  c10::Device device_;
  Transfer transfer_;
  InputFormat format_;
  std::int64_t size_;
  std::int64_t batch_size_;
  const Clock& clock_;
  SampleDraw draw_;
  SampleRows inputs_;
  SampleRows targets_;
  std::vector<Buffer> buffers_;
  c10::Event queued_;                  // Marks the work that was queued when `next` was called.
  std::optional<c10::Stream> copies_;  // Of copies that are queued.
  at::Tensor order_;                   // Of the samples in this epoch.
  std::int64_t batches_given_ = 0;
  Seconds waited_{};
  std::unique_ptr<Prefetcher> prefetcher_;  // Last: its thread uses the members above.
};

}  // namespace gpubench
