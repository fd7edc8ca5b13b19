#pragma once
// Sources of batches: from device memory and from host memory.

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

/// Memory format of inputs.
struct InputFormat {
  at::ScalarType type = at::kFloat;  ///< A floating-point type.
  bool is_channels_last = false;  ///< Layout of images. Their shape stays samples, channels, height, width.
};

/// Samples of this rank, and the generator of their order.
struct SampleDraw {
  RankShare share{};  ///< This rank's part of each step.
  /// Generator of sample orders. Unset: LibTorch's default, which models also use.
  std::optional<at::Generator> generator{};
  bool is_in_order = false;  ///< Batches of resident samples are in file order, without copies.
};

/// Batches of a split in random order. Not thread-safe.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  virtual std::int64_t size() const = 0;

  /// Draws an order and starts an epoch. Does not wait for the device.
  virtual void begin_epoch() = 0;

  /// Returns the rank's share of the next `count` samples, on the device. Does not wait for the device.
  virtual Batch next(std::int64_t count) = 0;

  /// Returns the time that `next` waited for samples in this epoch.
  virtual Measured<Seconds> waited() const { return missing("samples are on the device"); }
};

at::ScalarType scalar_type(ElementType type);

/// Converts bytes to numbers in [0, 1] of `type`, and integers to int64. Returns an unchanged tensor itself.
at::Tensor converted(const at::Tensor& values, at::ScalarType type);

inline bool puts_channels_last(const InputFormat& format, const std::vector<std::int64_t>& sample_shape) {
  return format.is_channels_last && sample_shape.size() == 3;
}

/// Returns a view of the rows with the format's strides.
at::Tensor make_samples(const at::Tensor& rows, const std::vector<std::int64_t>& sample_shape,
                        const InputFormat& format);

/// Returns a batch of noise in [0, 1], or of zero tokens, with targets 0.
Batch example_batch(const DataSpec& spec, std::int64_t samples, const at::TensorOptions& options);

/// Source of batches from converted samples and targets on one device.
class ResidentSplit : public BatchSource {
 public:
  /// Copies the first `limit` samples of `split` (0: all) to `device`.
  ResidentSplit(const Split& split, std::int64_t limit, c10::Device device, const InputFormat& format = {},
                const SampleDraw& draw = {});

  std::int64_t size() const override { return targets_.size(0); }
  c10::Device device() const { return targets_.device(); }

  /// Returns the samples at the positions `indices`, an int64 tensor on the same device.
  Batch gather(const at::Tensor& indices) const;

  /// Returns `count` samples starting at `first`, without a copy.
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
  at::Tensor rows_;  // One row per sample, in the order of the format.
  at::Tensor targets_;
  at::Tensor order_;  // Order of the samples in this epoch.
  std::int64_t position_ = 0;
};

/// Transfer of batches to the device.
enum class Transfer {
  kNone,    ///< No transfer: batches are views of the buffers, for a CPU.
  kCopied,  ///< Copied in next(); converted on the device.
  kQueued   ///< Copied ahead of time on a separate stream; converted on the device.
};

/// Returns a source of the first `limit` samples of `split` (0: all), which stay in host memory. `split` and
/// `clock` must outlive it. `transfer` defaults to the fastest for the device. A CPU generator draws the
/// orders. An epoch may end early. Inputs without a transfer are valid until the next call of `next` or
/// `begin_epoch`. `next` rethrows exceptions of the background thread.
std::unique_ptr<BatchSource> make_host_source(const Split& split, std::int64_t limit, c10::Device device,
                                              const InputFormat& format, std::int64_t batch_size,
                                              const Clock& clock, const SampleDraw& draw = {},
                                              std::optional<Transfer> transfer = {});

}  // namespace gpubench
