#pragma once
// The roofs that were measured on this machine, so that runs need not measure them again.

#include <optional>
#include <string>

#include "engine/api/peak.h"
#include "gpubench/core/io/machine_cache.h"

namespace gpubench {

/// Roofs by device, processor, threads and version of LibTorch. A full measurement replaces what was there. A
/// trial, which other work on the machine disturbs easily, never replaces a full measurement; of trials the
/// best of each figure is kept.
class PeakStore {
 public:
  explicit PeakStore(MachineCache cache) : cache_(std::move(cache)) {}

  /// The roof of `device`, in a record that has nothing else. Nothing where none is stored, or only so few
  /// trials that another one should be made.
  std::optional<DeviceRecord> find(const DeviceRecord& device, const Environment& environment) const;

  /// Keeps the roof of `device`, and returns the one that holds from now on.
  DeviceRecord keep(PeakEffort effort, const DeviceRecord& device, const Environment& environment) const;

 private:
  MachineCache cache_;
};

/// The store of this user: the folder "peaks" in cache_folder().
PeakStore peak_store();

}  // namespace gpubench
