#pragma once
// Power meters and their sources. Implementations: src/power, one file each. No LibTorch.

#include <functional>
#include <string>
#include <vector>

#include "gpubench/core/catalog.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/gpu_identity.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/energy_record.h"

namespace gpubench {

struct Environment;  // record/environment.h

/// Readings at one moment. Unsupported values are missing with a reason, never zero.
struct PowerReading {
  Measured<Joules> energy = missing("no energy counter");  ///< Counter with an arbitrary start; never falls.
  Measured<Watts> power = missing("no power sensor");
  Measured<Celsius> temperature = missing("no temperature sensor");
  Measured<Hertz> clock = missing("no clock");
  Measured<Watts> limit = missing("no power limit");
  std::string throttle{};  ///< Reasons for a reduced clock: "power cap, heat"; empty if not reduced.
};

/// Constant properties of a source.
struct PowerSourceFacts {
  std::string meter{};   ///< Name of the catalog entry.
  std::string part{};    ///< Measured part: "GPU 0 NVIDIA H200", "package-0".
  std::string device{};  ///< Measured device: "cuda:0", "cpu", "mps"; empty if unknown.
  PowerScope scope = PowerScope::kUnknown;
  std::string power_quantity{};  ///< Kind of `power`: "instantaneous power"; empty without power.
  Seconds averaging{0};          ///< Averaging time of `power`; 0: instantaneous.
  std::string accuracy{};        ///< Accuracy stated by the maker, with its source; empty if unknown.
  bool is_replayed = false;      ///< True if readings come from a log.
  GpuIdentity gpu{};             ///< The measured GPU; empty for other sources.
  std::string why_no_device{};   ///< Reason why no device of the run matches `gpu`.
};

/// A power source, used by one thread: the sampler after start-up. Handles counter overflow.
struct PowerSource {
  PowerSourceFacts facts;
  /// Reads the source in well under a millisecond. Never throws.
  std::function<PowerReading()> read;
};

using PowerSources = std::vector<PowerSource>;

/// Inputs of a meter.
struct MeterRequest {
  std::string argument;           ///< FILE of `--meter replay:FILE`, else empty.
  const Clock& clock;             ///< Outlives the sources.
  HostFiles files = HostFiles();  ///< Kernel files; replaced in tests.
};

/// Catalog entry of a meter.
struct MeterEntry {
  std::string name;     ///< Command-line name, e.g. "nvml".
  std::string summary;  ///< One line for `gpubench list meters`.
  bool is_automatic;    ///< True if `--meter auto` tries it; false if it needs an argument.

  /// Finds the sources. If none, sets `why_not` to reason and remedy. Throws a usage or data Error.
  PowerSources (*open)(const MeterRequest& request, std::string& why_not);
};

/// Returns all meters, in the order of src/power/catalog.def.
const Catalog<MeterEntry>& power_meters();

/// Sources of the meters in `--meter`.
struct OpenMeters {
  PowerSources sources;
  std::string why_none;  ///< Reason of each meter; empty if there are sources.
};

/// Throws a usage Error for names that open_meters() refuses.
void check_meters(const std::string& names);

/// Sets missing devices of sources by match_gpus(), or the reason why they are unknown. Removes sources of
/// GPUs that `run` does not use; sets `why_not` if none is left.
void assign_gpus(PowerSources& sources, const Environment& run, std::string& why_not);

/// Opens "auto", "none", or a list: "nvml,rapl", "replay:FILE". Throws a usage Error for an unknown name.
OpenMeters open_meters(const std::string& names, const Clock& clock, const Environment& run);

}  // namespace gpubench
