#pragma once
// Facts about a machine that a plan needs: devices, and their peaks, which are stored for later runs.

#include <optional>
#include <string>
#include <vector>

#include "engine/api/engine.h"
#include "gpubench/power_meter.h"
#include "store/machine_facts.h"

namespace gpubench {

/// Peaks by device, processor, threads and LibTorch version. A full measurement replaces the stored peak;
/// trials keep the best of each figure, and never replace a full measurement.
class PeakStore {
 public:
  static constexpr const char* kKeyPrefix = "peak 1; ";

  /// `facts` outlive the store.
  explicit PeakStore(MachineFacts& facts) : facts_(facts) {}

  /// Returns the stored peak of `device`; nothing if none is stored or another trial is needed.
  std::optional<DeviceRecord> find(const DeviceRecord& device, const Environment& environment) const;

  /// Stores and returns the peak. With `is_renewed` the better of each figure stays, even of a full one.
  DeviceRecord keep(PeakEffort effort, const DeviceRecord& device, const Environment& environment,
                    bool is_renewed = false);

  /// Raises stored peaks to the rates of rows. An excess of more than 10 % makes find() ask for a trial.
  void raise_peak(const DeviceRecord& device, const Environment& environment);

 private:
  MachineFacts& facts_;
};

struct FactsRequest {
  std::vector<std::string> devices;  ///< As on the command line.
  int threads = 0;                   ///< See Engine::configure.
  bool renews_peaks = false;         ///< Makes a trial in any case, see PeakStore::keep.
  std::string op{};                  ///< Operation that must take these shapes, before devices are opened.
  std::vector<std::string> shapes{};
  FactTexts stored_peaks{};  ///< Facts of a PeakStore.
};

struct EngineFacts {
  std::vector<std::string> devices;  ///< The resolved name of each device of the request.
  Environment environment;           ///< With these devices, each once, without datasets.
  std::vector<DeviceRecord> gpus;    ///< All usable ones, if one of these devices is a GPU of CUDA.
  FactTexts new_peaks{};             ///< Facts of a PeakStore that replace stored ones.
};

std::vector<DeviceRecord> usable_gpus(const Engine& engine);

/// Returns `environment` with `gpus` for its devices: those that a meter of this machine may find.
Environment metered_environment(Environment environment, std::vector<DeviceRecord> gpus);

/// Uses the stored peak or a trial. Throws a usage Error for a wrong shape, and a usage or device Error for
/// an unknown or absent device.
EngineFacts gather_facts(const Engine& engine, const Clock& clock, const FactsRequest& request);

}  // namespace gpubench
