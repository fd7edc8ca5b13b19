#pragma once
// Where the batches of an epoch come from, and how their samples lie in memory.

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

/// How inputs that are bytes reach a model.
struct InputFormat {
  at::ScalarType type = at::kFloat;  ///< A floating-point type.
  bool is_channels_last = false;     ///< Strides of images; the shape stays samples, channels, height, width.
};

/// How samples are drawn.
struct SampleDraw {
  RankShare share{};  ///< Which of each step's samples are given out.
  std::optional<at::Generator>
      generator{};  ///< Of the orders; unset: LibTorch's, which models draw from too.
};

/// The samples of a split in random order, batch by batch. Used by one thread.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  virtual std::int64_t size() const = 0;

  /// Draws an order from LibTorch's generator and starts an epoch. Does not wait for the device.
  virtual void begin_epoch() = 0;

  /// The next `count` samples of the epoch, of these the rank's share, on the device. Does not wait for the
  /// device.
  virtual Batch next(std::int64_t count) = 0;

  /// How long `next` has waited for samples since the epoch began.
  virtual Measured<Seconds> waited() const { return missing("samples were on the device before the epochs"); }
};

/// What LibTorch calls the elements of a host array.
at::ScalarType scalar_type(ElementType type);

/// Values of a host array as models take them, where they are: bytes as numbers in [0, 1] of `type`, whole
/// numbers as int64. The same tensor where they are so already.
at::Tensor converted(const at::Tensor& values, at::ScalarType type);

/// Whether the samples are images, and their channels to be put last.
inline bool puts_channels_last(const InputFormat& format, const std::vector<std::int64_t>& sample_shape) {
  return format.is_channels_last && sample_shape.size() == 3;
}

/// `samples` (count, then `sample_shape`) as a row each, channels last where `format` says so. Copies where
/// the order of values changes.
at::Tensor make_rows(const at::Tensor& samples, const std::vector<std::int64_t>& sample_shape,
                     const InputFormat& format);

/// The samples of such rows, as a view. With channels last the strides say so even for a single channel,
/// whose memory is the same either way: convolutions go by strides.
at::Tensor make_samples(const at::Tensor& rows, const std::vector<std::int64_t>& sample_shape,
                        const InputFormat& format);

/// A made-up batch, where only shapes and types matter: `samples` samples of noise in [0, 1], or of one and
/// the same token, each with target 0; float values are of the type of `options`, which says the device too.
Batch example_batch(const DataSpec& spec, std::int64_t samples, const at::TensorOptions& options);

}  // namespace gpubench
