#pragma once
// What meters find, with where they look as an argument: tests hand in machines that consist of files,
// libraries and commands. `why_not` is set where something is missing, and says what helps.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/io/host_files.h"
#include "gpubench/power_meter.h"

namespace gpubench {

/// Processor packages and memory modules that count their energy (powercap).
PowerSources rapl_sources(const HostFiles& files, std::string& why_not);

/// Graphics processors of AMD (hwmon).
PowerSources amd_sources(const HostFiles& files, std::string& why_not);

/// Batteries that discharge.
PowerSources battery_sources(const HostFiles& files, std::string& why_not);

/// A GPU as NVIDIA's driver lists it, in the order of PCI addresses.
struct ListedGpu {
  std::string name;
  std::string uuid;
};

/// The variables of the environment that CUDA heeds.
struct CudaVariables {
  std::optional<std::string> visible_devices;  ///< CUDA_VISIBLE_DEVICES.
  std::string device_order;                    ///< CUDA_DEVICE_ORDER.
};

/// As they are set for this process.
CudaVariables cuda_variables();

/// What LibTorch calls each GPU: CUDA has an order of its own and leaves out what CUDA_VISIBLE_DEVICES does
/// not name. "cuda:1", empty where that cannot be told from here, absent where CUDA does not see it.
std::vector<std::optional<std::string>> cuda_devices(std::span<const ListedGpu> gpus,
                                                     const CudaVariables& variables);

/// One for each of NVIDIA's GPUs that CUDA sees and that tells energy or power.
PowerSources nvml_sources(const std::string& library_path, const CudaVariables& variables,
                          std::string& why_not);

/// What holds the clocks of such a GPU down, in words: "power cap, heat". Empty for none, and for a GPU
/// without work.
std::string throttle_words(std::uint64_t clock_reasons);

/// What powermetrics prints while it runs: starts `command`, waits for its first block for as long as
/// `patience` and makes a source of each rail in it. The command is ended with the last source.
PowerSources powermetrics_sources(const std::string& command, Seconds patience, std::string& why_not);

/// A number that was read times `scale`, as a quantity; absent for the same reason.
template <class Unit, class Number>
Reading<Unit> scaled(const Reading<Number>& number, double scale) {
  return number.then([&](Number count) { return Unit{static_cast<double>(count) * scale}; });
}

}  // namespace gpubench
