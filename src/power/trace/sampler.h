#pragma once
// Reads sources of power in the background.

#include <filesystem>
#include <memory>
#include <vector>

#include "power/log/power_log.h"

namespace gpubench {

/// Waiting of the sampler's thread. Tests use one that moves a fake clock.
class SamplerPause {
 public:
  virtual ~SamplerPause() = default;
  /// Returns after `duration`, or at once after wake().
  virtual void wait(Seconds duration) = 0;
  virtual void wake() = 0;
};

std::unique_ptr<SamplerPause> make_pause();

/// One thread that reads each source twice as often as it is updated, in half a percent of the cores.
class PowerSampler {
 public:
  virtual ~PowerSampler() = default;

  /// Returns the samples of all sources from `begin` on: every second one where there are too many to keep.
  virtual std::vector<PowerTrace> traces_since(Seconds begin) = 0;

  /// Returns the part of one core that the thread has taken over its life.
  virtual double load() const = 0;
};

/// Starts the thread. `cores`: those that this machine leaves to gpubench. Clock and pause outlive the
/// sampler. Also appends to the file `raw_log` unless empty; throws a usage Error if that cannot be written.
std::unique_ptr<PowerSampler> start_sampler(PowerSources sources, double cores, const Clock& clock,
                                            SamplerPause& pause, const std::filesystem::path& raw_log);

}  // namespace gpubench
