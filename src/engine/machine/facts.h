#pragma once
// What a plan needs to know from the engine.

#include <string>
#include <vector>

#include "engine/api/engine.h"
#include "gpubench/power_meter.h"

namespace gpubench {

/// What is to be found out.
struct FactsRequest {
  std::vector<std::string> devices;  ///< As on the command line.
  int threads = 0;                   ///< See Engine::configure.
  bool renews_roofs = false;         ///< Whether a trial is made whatever is stored, see PeakStore::renew.
};

/// The engine's side of a plan.
struct EngineFacts {
  std::vector<ModelEntry> models;    ///< From another process: without `build`.
  std::vector<std::string> devices;  ///< The resolved name of each device of the request.
  Environment environment;           ///< With these devices, each once, without datasets.
  std::vector<DeviceRecord> gpus;    ///< All that can be used, where one of these devices is a GPU of CUDA.
};

/// GPUs of CUDA that can be used.
std::vector<DeviceRecord> usable_gpus(const Engine& engine);

/// `environment` with `gpus` for its devices: those that a meter of this machine may find, whether the run
/// uses them or not.
Environment metered_environment(Environment environment, std::vector<DeviceRecord> gpus);

/// The power limit in force of the device, as the sources that know it tell; absent where none does.
Measured<Watts> power_limit_in(const PowerSources& sources, const std::string& device);
/// The same by the meters of this machine, of a device of `run`.
Measured<Watts> read_power_limit(const std::string& device, const Environment& run, const Clock& clock);

/// Asks the engine. The peak of a device is the one stored on this machine; where there is none it is found
/// in a trial, and stored. Throws a usage or device Error for a device that is unknown or absent.
EngineFacts gather_facts(const Engine& engine, const Clock& clock, const FactsRequest& request);

}  // namespace gpubench
