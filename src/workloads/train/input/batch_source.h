#pragma once
// Sources of an epoch's batches, the layout of their samples in memory, and the source on the device.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include "engine/plan/rank_context.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/measured.h"
#include "gpubench/dataset.h"
#include "gpubench/recipe.h"

namespace gpubench {

struct InputFormat {
  at::ScalarType type = at::kFloat;  ///< A floating-point type.
  bool is_channels_last = false;     ///< Strides of images; the shape stays samples, channels, height, width.
};

struct SampleDraw {
  RankShare share{};  ///< The part of each step's samples that is given out.
  std::optional<at::Generator>
      generator{};  ///< Of the orders. Unset: LibTorch's, which models draw from too.
};

/// The samples of a split in random order, batch by batch. Used by one thread.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  virtual std::int64_t size() const = 0;

  /// Draws an order from LibTorch's generator and starts an epoch. Does not wait for the device.
  virtual void begin_epoch() = 0;

  /// Returns the rank's share of the next `count` samples, on the device. Does not wait for the device.
  virtual Batch next(std::int64_t count) = 0;

  /// Returns the time that `next` has waited for samples since the epoch began.
  virtual Measured<Seconds> waited() const { return missing("samples were on the device before the epochs"); }
};

at::ScalarType scalar_type(ElementType type);

/// Returns bytes as numbers in [0, 1] of `type`, whole numbers as int64; the tensor itself if unchanged.
at::Tensor converted(const at::Tensor& values, at::ScalarType type);

inline bool puts_channels_last(const InputFormat& format, const std::vector<std::int64_t>& sample_shape) {
  return format.is_channels_last && sample_shape.size() == 3;
}

/// Returns a view with the format's strides. Channels last shows in them even for a single channel.
at::Tensor make_samples(const at::Tensor& rows, const std::vector<std::int64_t>& sample_shape,
                        const InputFormat& format);

/// Returns a batch of noise in [0, 1], or of a single token, each with target 0.
Batch example_batch(const DataSpec& spec, std::int64_t samples, const at::TensorOptions& options);

/// Samples and targets on one device, converted() for models; a source of batches in random order.
class ResidentSplit : public BatchSource {
 public:
  /// Copies the first `limit` samples of `split` (all of them for 0) to `device`.
  ResidentSplit(const Split& split, std::int64_t limit, c10::Device device, const InputFormat& format = {},
                const SampleDraw& draw = {});

  std::int64_t size() const override { return targets_.size(0); }
  c10::Device device() const { return targets_.device(); }

  /// Returns the samples at the positions `indices`, an int64 tensor on the same device.
  Batch gather(const at::Tensor& indices) const;

  /// Returns `count` samples from `first` on, without a copy.
  Batch slice(std::int64_t first, std::int64_t count) const;

  /// Draws an order for an epoch. Does not wait for the device.
  at::Tensor draw_order() const;
  RankShare share() const { return draw_.share; }

  void begin_epoch() override;
  Batch next(std::int64_t count) override;

 private:
  InputFormat format_;
  SampleDraw draw_;
  std::vector<std::int64_t> sample_shape_;
  at::Tensor rows_;  // A sample each, its values in the order of the format.
  at::Tensor targets_;
  at::Tensor order_;  // Of the epoch.
  std::int64_t position_ = 0;
};

enum class Transfer {
  kNone,    ///< None, for a CPU: buffers are given out as they are.
  kCopied,  ///< On request, as the data has them; the device converts them.
  kQueued   ///< Ahead of time, on a stream beside the training; the device converts them.
};

/// Returns batches of the first `limit` samples of `split` (all of them for 0), which stays in host memory
/// and outlives the source, as does `clock`. `transfer` defaults to the fastest for the device. Orders come
/// from a generator of the CPU. An epoch may be left half-way. Without a transfer inputs are valid until the
/// next call of `next` or `begin_epoch`. `next` throws what goes wrong in the background.
std::unique_ptr<BatchSource> make_host_source(const Split& split, std::int64_t limit, c10::Device device,
                                              const InputFormat& format, std::int64_t batch_size,
                                              const Clock& clock, const SampleDraw& draw = {},
                                              std::optional<Transfer> transfer = {});

}  // namespace gpubench
