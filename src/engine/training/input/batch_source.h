#pragma once
// Where the batches of an epoch come from.

#include <cstdint>

#include <c10/core/ScalarType.h>

#include "gpubench/batch.h"
#include "gpubench/core/reading.h"
#include "gpubench/core/units.h"

namespace gpubench {

/// How inputs that are bytes reach a model.
struct InputFormat {
  at::ScalarType type = at::kFloat;  ///< A floating-point type.
  bool is_channels_last = false;     ///< Strides of images; the shape stays samples, channels, height, width.
};

/// The samples of a split in random order, batch by batch. Used by one thread.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  virtual std::int64_t size() const = 0;

  /// Draws an order from LibTorch's generator and starts an epoch. Does not wait for the device.
  virtual void begin_epoch() = 0;

  /// The next `count` samples of the epoch, on the device. Does not wait for the device.
  virtual Batch next(std::int64_t count) = 0;

  /// How long `next` has waited for samples since the epoch began.
  virtual Reading<Seconds> waited() const { return absent("samples were on the device before the epochs"); }
};

}  // namespace gpubench
