#pragma once
// Facts about a machine that a plan needs: devices, and their peaks, which are stored for later runs.

#include <optional>
#include <string>
#include <vector>

#include "engine/api/engine.h"
#include "gpubench/core/io/machine_cache.h"
#include "gpubench/power_meter.h"

namespace gpubench {

/// Stored peaks by device, processor, threads and version of LibTorch. A full measurement replaces what was
/// there. A trial, which other work on the machine disturbs easily, never replaces a full measurement; of
/// trials the best of each figure is kept.
class PeakStore {
 public:
  explicit PeakStore(MachineCache cache) : cache_(std::move(cache)) {}

  /// Returns the peak of `device`, in a record with no other fields. Nothing if none is stored, or if another
  /// trial is needed.
  std::optional<DeviceRecord> find(const DeviceRecord& device, const Environment& environment) const;

  /// Stores the peak of `device`, and returns the resulting one. After a row has exceeded the stored peak
  /// (`is_renewed`) the better of each figure is kept, even of a full measurement.
  DeviceRecord keep(PeakEffort effort, const DeviceRecord& device, const Environment& environment,
                    bool is_renewed = false) const;

  /// Raises the stored peaks to those peaks of `device` that are rates of rows. If a row exceeded a
  /// measurement by more than 10 %, the measurement was disturbed, and find() asks for another trial.
  void raise_peak(const DeviceRecord& device, const Environment& environment) const;

 private:
  MachineCache cache_;
};

/// Returns the store of this user: the folder "peaks" in cache_folder().
PeakStore peak_store();

struct FactsRequest {
  std::vector<std::string> devices;  ///< As on the command line.
  int threads = 0;                   ///< See Engine::configure.
  bool renews_peaks = false;         ///< Makes a trial in any case, see PeakStore::keep.
};

struct EngineFacts {
  std::vector<ModelEntry> models;    ///< From another process: without `build`.
  std::vector<std::string> devices;  ///< The resolved name of each device of the request.
  Environment environment;           ///< With these devices, each once, without datasets.
  std::vector<DeviceRecord> gpus;    ///< All usable ones, if one of these devices is a GPU of CUDA.
};

/// Returns the usable GPUs of CUDA.
std::vector<DeviceRecord> usable_gpus(const Engine& engine);

/// Returns `environment` with `gpus` for its devices: those that a meter of this machine may find.
Environment metered_environment(Environment environment, std::vector<DeviceRecord> gpus);

/// Asks the engine. The peak of a device is the stored one, or that of a trial now. Throws a usage or device
/// Error for a device that is unknown or absent.
EngineFacts gather_facts(const Engine& engine, const Clock& clock, const FactsRequest& request);

}  // namespace gpubench
