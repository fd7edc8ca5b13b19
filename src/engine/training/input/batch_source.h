#pragma once
// The source of an epoch's batches, and the layout of their samples in memory.

#include <cstdint>
#include <optional>
#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include "engine/plan/rank_context.h"
#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/dataset.h"
#include "gpubench/recipe.h"
#include "gpubench/record/data_spec.h"

namespace gpubench {

/// Type and layout of a model's inputs.
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

  /// Returns the rank's share of the next `count` samples of the epoch, on the device. Does not wait for the
  /// device.
  virtual Batch next(std::int64_t count) = 0;

  /// Returns the time that `next` has waited for samples since the epoch began.
  virtual Measured<Seconds> waited() const { return missing("samples were on the device before the epochs"); }
};

/// Returns LibTorch's type of the elements of a host array.
at::ScalarType scalar_type(ElementType type);

/// Returns values of a host array as models take them: bytes as numbers in [0, 1] of `type`, whole numbers as
/// int64. The tensor itself if it needs no change.
at::Tensor converted(const at::Tensor& values, at::ScalarType type);

/// Returns whether the samples are images whose channels come last.
inline bool puts_channels_last(const InputFormat& format, const std::vector<std::int64_t>& sample_shape) {
  return format.is_channels_last && sample_shape.size() == 3;
}

/// Returns `samples` (count, then `sample_shape`) as a row each, channels last if `format` says so. Copies if
/// the order of values changes.
at::Tensor make_rows(const at::Tensor& samples, const std::vector<std::int64_t>& sample_shape,
                     const InputFormat& format);

/// Returns the samples of such rows, as a view. Channels last shows in the strides even for a single channel,
/// since convolutions go by strides.
at::Tensor make_samples(const at::Tensor& rows, const std::vector<std::int64_t>& sample_shape,
                        const InputFormat& format);

/// Returns a made-up batch with the device and the floating-point type of `options`: samples of noise in
/// [0, 1], or of a single token, each with target 0.
Batch example_batch(const DataSpec& spec, std::int64_t samples, const at::TensorOptions& options);

}  // namespace gpubench
