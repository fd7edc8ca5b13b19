#pragma once
// Facts about the machine that a plan needs: its devices and their peaks. Peaks are stored for later runs.

#include <optional>
#include <string>
#include <vector>

#include "engine/api/engine.h"
#include "gpubench/power_meter.h"
#include "store/machine_facts.h"

namespace gpubench {

/// Peaks by device, processor, threads and LibTorch version. A full measurement replaces the stored peak.
/// Trials keep the best value of each figure and never replace a full measurement.
class PeakStore {
 public:
  static constexpr const char* kKeyPrefix = "peak 1; ";

  /// `facts` must outlive the store.
  explicit PeakStore(MachineFacts& facts) : facts_(facts) {}

  /// Returns the stored peak of `device`, or nullopt if it is missing or another trial is needed.
  std::optional<DeviceRecord> find(const DeviceRecord& device, const Environment& environment) const;

  /// Stores and returns the peak. With `is_renewed`, raises the figures even of a full measurement.
  DeviceRecord keep(PeakEffort effort, const DeviceRecord& device, const Environment& environment,
                    bool is_renewed = false);

  /// Raises stored peaks to the rates of rows. After an excess of more than 10 %, find() returns nullopt.
  void raise_peak(const DeviceRecord& device, const Environment& environment);

 private:
  MachineFacts& facts_;
};

struct FactsRequest {
  std::vector<std::string> devices;  ///< Names from the command line.
  int threads = 0;                   ///< See Engine::configure.
  bool renews_peaks = false;         ///< Always run a peak trial; see PeakStore::keep.
  std::string op{};                  ///< Operation that must support `shapes`; checked before devices open.
  std::vector<std::string> shapes{};
  FactTexts stored_peaks{};  ///< Stored facts of a PeakStore.
};

struct EngineFacts {
  std::vector<std::string> devices;  ///< Resolved name of each requested device.
  Environment environment;           ///< Lists each of these devices once; no datasets.
  std::vector<DeviceRecord> gpus;    ///< All usable GPUs if CUDA is among `devices`; else empty.
  FactTexts new_peaks{};             ///< New or changed facts of a PeakStore.
};

std::vector<DeviceRecord> usable_gpus(const Engine& engine);

/// Returns `environment` with `gpus` as its devices, since meters of this machine may find any GPU.
Environment metered_environment(Environment environment, std::vector<DeviceRecord> gpus);

/// Gathers the facts; uses stored peaks or runs trials. Throws a usage Error for a wrong shape, and a usage
/// or device Error for an unknown or missing device.
EngineFacts gather_facts(const Engine& engine, const Clock& clock, const FactsRequest& request);

}  // namespace gpubench
