#pragma once
// The power meters of a run: opened, read in the background, and put around its cases.

#include <memory>

#include "app/train_options.h"
#include "engine/execution/executor.h"
#include "engine/machine/facts.h"

namespace gpubench {

/// Reads nothing before cases are run. Outlives the executors that it makes.
class PowerWatch {
 public:
  /// Checks the options, and opens the meters that they name for the devices in `facts`, unless nothing will
  /// be measured. Throws usage and data Errors.
  PowerWatch(const TrainOptions& options, const EngineFacts& facts, const Clock& clock);
  ~PowerWatch();
  PowerWatch(const PowerWatch&) = delete;
  PowerWatch& operator=(const PowerWatch&) = delete;

  /// `inner`, whose rows then have their energy, or the reason why they have none.
  std::unique_ptr<CaseExecutor> watch(std::unique_ptr<CaseExecutor> inner);

 private:
  const Clock& clock_;
  MeteringOptions options_;
  std::string why_none_;
  std::unique_ptr<SamplerPause> pause_;
  std::unique_ptr<PowerSampler> sampler_;  // Null where there is no source.
};

/// How energy is measured, as the options say. Throws a usage Error.
MeteringOptions metering_options(const EnergyOptions& options);

}  // namespace gpubench
