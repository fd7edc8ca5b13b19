#pragma once
// Timed windows of a row's calls.

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/ops/cache_flush.h"
#include "engine/ops/op_call.h"
#include "engine/ops/op_run.h"
#include "gpubench/core/clock.h"
#include "gpubench/device.h"

namespace gpubench {

/// One timed window.
struct OpSample {
  Seconds host;
  Reading<Seconds> device{};  ///< By the device's own clock.

  Seconds best_known() const { return device.has_value() ? device.value() : host; }
};

/// Takes samples of one row. What it is made with must outlive it.
class OpSampler {
 public:
  OpSampler(OpCall& call, const OpRequest& request, Device& device, const Clock& clock);

  /// A window of so many calls, with caches full of other data before it where the row wants that.
  OpSample take(std::int64_t calls);

  /// So many calls that a sample is as long as the row wants; one where caches are to be cold, since only the
  /// first call would find them so.
  std::int64_t calls_for_sample();

  /// Takes samples until one is like the one before, or until all have taken a part of the row's time.
  void warm_up(std::int64_t calls);

 private:
  OpCall& call_;
  const OpEffort& effort_;
  Device& device_;
  const Clock& clock_;
  std::unique_ptr<DeviceTimer> timer_;
  std::optional<CacheFlush> flush_;
  Seconds spent_;  // In all samples so far.
};

}  // namespace gpubench
