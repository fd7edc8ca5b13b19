#pragma once
// Reads sources of power in the background.

#include <filesystem>
#include <memory>
#include <vector>

#include "power/log/power_log.h"

namespace gpubench {

/// Sleep of the sampler's thread. Tests replace it to advance a fake clock.
class SamplerPause {
 public:
  virtual ~SamplerPause() = default;
  /// Returns after `duration`, or at once after wake().
  virtual void wait(Seconds duration) = 0;
  virtual void wake() = 0;
};

std::unique_ptr<SamplerPause> make_pause();

/// Thread that reads each source twice as often as it is updated, within 0.5 % of the cores.
class PowerSampler {
 public:
  virtual ~PowerSampler() = default;

  /// Returns the samples of all sources from `begin` on. Long traces keep every second of the older samples.
  virtual std::vector<PowerTrace> traces_since(Seconds begin) = 0;

  /// Returns the fraction of one core that the thread has used since its start.
  virtual double load() const = 0;
};

/// Starts the thread. `cores` is the number of available cores. Clock and pause outlive the sampler. Appends
/// each sample to the file `raw_log` unless empty; throws a usage Error if that cannot be written.
std::unique_ptr<PowerSampler> start_sampler(PowerSources sources, double cores, const Clock& clock,
                                            SamplerPause& pause, const std::filesystem::path& raw_log);

}  // namespace gpubench
