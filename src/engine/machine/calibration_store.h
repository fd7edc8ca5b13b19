#pragma once
// How far equal programs were seen to be apart on this machine, so that comparisons know.

#include <vector>

#include "gpubench/core/io/machine_cache.h"
#include "gpubench/core/reading.h"
#include "gpubench/record/environment.h"

namespace gpubench {

/// Calibrations by device_key(). A later one replaces what was there.
class CalibrationStore {
 public:
  explicit CalibrationStore(MachineCache cache) : cache_(std::move(cache)) {}

  /// Median epochs, in seconds, of processes that ran one case; absent where the device was not calibrated.
  Reading<std::vector<double>> find(const DeviceRecord& device, const Environment& environment) const;

  void keep(const std::vector<double>& seconds, const DeviceRecord& device,
            const Environment& environment) const;

 private:
  MachineCache cache_;
};

/// The store of this user: the folder "calibrations" in cache_folder().
CalibrationStore calibration_store();

}  // namespace gpubench
