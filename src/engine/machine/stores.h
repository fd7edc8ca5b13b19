#pragma once
// What was measured of devices on this machine, so that later runs need not measure it again. Kept by device,
// processor, threads and version of LibTorch.

#include <optional>
#include <string>
#include <vector>

#include "engine/api/peak.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/io/machine_cache.h"

namespace gpubench {

/// Roofs. A full measurement replaces what was there. A trial, which other work on the machine disturbs
/// easily, never replaces a full measurement; of trials the best of each figure is kept.
class PeakStore {
 public:
  explicit PeakStore(MachineCache cache) : cache_(std::move(cache)) {}

  /// The peak of `device`, in a record that has nothing else. Nothing where none is stored, or only so few
  /// trials that another one should be made.
  std::optional<DeviceRecord> find(const DeviceRecord& device, const Environment& environment) const;

  /// Keeps the peak of `device`, and returns the one that holds from now on.
  DeviceRecord keep(PeakEffort effort, const DeviceRecord& device, const Environment& environment) const;

  /// The same of a trial that was made because a row is above what is stored: the better of each figure is
  /// kept, whatever measured it.
  DeviceRecord renew(const DeviceRecord& device, const Environment& environment) const;

  /// Keeps the peaks of `device` that are rates of rows, where they are above the stored ones. A measurement
  /// that a row was above by more than 10 % was disturbed: find() has nothing until another trial was kept.
  void raise_peak(const DeviceRecord& device, const Environment& environment) const;

 private:
  MachineCache cache_;
};

/// The store of this user: the folder "peaks" in cache_folder().
PeakStore peak_store();

}  // namespace gpubench
