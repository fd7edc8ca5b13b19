#pragma once
// A split that stays in host memory, as where the device is too small for it: batches are made in the
// background and sent to the device one by one.

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
#include "gpubench/dataset.h"

namespace gpubench {

/// Samples of a host array, to be copied one by one. A view: the array outlives it. Immutable, safe to use
/// from several threads.
class SampleRows {
 public:
  /// Writes one sample.
  using Convert = std::function<void(const std::byte* from, std::byte* to)>;

  /// Samples get the format's strides where they are images. Where they are `converted`, they become what a
  /// model takes: bytes numbers in [0, 1] of the format's type, whole numbers int64; else they stay what they
  /// are. Throws an internal Error where the array has not as many bytes as its shape says.
  SampleRows(const HostArray& array, const InputFormat& format, bool is_converted);

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

/// How batches get from host memory to where they are trained on.
enum class Transfer {
  kNone,    ///< They are there: buffers are given out as they are.
  kCopied,  ///< As the data has them, when they are asked for; the device makes numbers of them.
  kQueued   ///< The same ahead of time, on a stream of their own beside the training.
};

Transfer transfer_to(c10::Device device);

/// Batches in random order out of host memory. Without a transfer the inputs that `next` gives are
/// buffers, and hold the batch until `next` or `begin_epoch` is called again. An epoch may be left half-way.
class HostSource : public BatchSource {
 public:
  /// Takes the first `limit` samples of `split` (all of them for 0), which outlives this, as does `clock`.
  HostSource(const Split& split, std::int64_t limit, c10::Device device, const InputFormat& format,
             std::int64_t batch_size, const Clock& clock, Transfer transfer, const SampleDraw& draw = {});
  HostSource(const Split& split, std::int64_t limit, c10::Device device, const InputFormat& format,
             std::int64_t batch_size, const Clock& clock, const SampleDraw& draw = {})
      : HostSource(split, limit, device, format, batch_size, clock, transfer_to(device), draw) {}

  std::int64_t size() const override { return size_; }

  /// The order comes from a generator of the CPU, whatever the device.
  void begin_epoch() override;

  /// Where `count` is less than the batch size, the rest of the batch is left out. Throws an internal Error
  /// for more than the batch size or what is left of the epoch, and what went wrong in the background. Is
  /// held up by the device where all buffers hold batches that it has not come to yet.
  Batch next(std::int64_t count) override;

  /// Counts only while the device has nothing else to do: where it is the slower part, it misses nothing.
  Measured<Seconds> waited() const override { return waited_; }

 private:
  struct Buffer {
    Batch host;
    Batch device;       // Where copies are queued, as are the events.
    c10::Event copied;  // To the device.
    c10::Event used;    // By the training, so that the device has the place for the next batch.
  };

  std::int64_t make_samples(std::int64_t batch) const;
  Buffer empty_buffer() const;
  void fill(Buffer& buffer, std::int64_t batch) const;
  void send(Buffer& buffer) const;
  Buffer& await_buffer();
  Seconds end_of_queued_work();
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
  c10::Event queued_;                  // The work that was queued when `next` was called.
  std::optional<c10::Stream> copies_;  // Of copies that are queued.
  at::Tensor order_;                   // Of the samples in this epoch.
  std::int64_t batches_given_ = 0;
  Seconds waited_{};
  std::unique_ptr<Prefetcher> prefetcher_;  // Last: its thread uses the members above.
};

}  // namespace gpubench
