#pragma once
// Sources of power readings and the meters that find them, in src/power, one file each. No LibTorch.

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

/// Readings of one moment. A value that the hardware does not give is missing with the reason, never zero.
struct PowerReading {
  Measured<Joules> energy = missing("no energy counter");  ///< Counted since any moment, never falling.
  Measured<Watts> power = missing("no power sensor");
  Measured<Celsius> temperature = missing("no temperature sensor");
  Measured<Hertz> clock = missing("no clock");
  Measured<Watts> limit = missing("no power limit");
  std::string throttle{};  ///< Why the clock is held down: "power cap, heat"; empty if it is not.
};

/// Constant properties of a source.
struct PowerSourceFacts {
  std::string meter{};   ///< Name of the catalog's entry.
  std::string part{};    ///< "GPU 0 NVIDIA H200", "package-0".
  std::string device{};  ///< "cuda:0", "cpu", "mps": whose work it measures; empty if unknown.
  PowerScope scope = PowerScope::kUnknown;
  std::string power_quantity{};  ///< Kind of `power`: "instantaneous power"; empty without power.
  Seconds averaging{0};          ///< `power` is the mean over this time before the reading; 0: a moment.
  std::string accuracy{};        ///< The maker's statement, with its source; empty if unknown.
  bool is_replayed = false;      ///< From a log, not from hardware.
  GpuIdentity gpu{};             ///< The measured GPU; all unknown for other sources.
  std::string why_no_device{};   ///< Why `device` is empty if `gpu` matches none of the run's.
};

/// A source of power, for one thread: after start-up the sampler's. Unwraps counters that wrap.
struct PowerSource {
  PowerSourceFacts facts;
  /// Takes well below a millisecond. Never throws.
  std::function<PowerReading()> read;
};

using PowerSources = std::vector<PowerSource>;

/// Inputs of a meter.
struct MeterRequest {
  std::string argument;           ///< FILE of `--meter replay:FILE`; mostly empty.
  const Clock& clock;             ///< Outlives the sources.
  HostFiles files = HostFiles();  ///< Kernel files; tests have others.
};

/// Sources of one kind.
struct MeterEntry {
  std::string name;     ///< Command-line name, e.g. "nvml".
  std::string summary;  ///< One line for `gpubench list meters`.
  bool is_automatic;    ///< `--meter auto` tries it; false if it needs an argument.

  /// Finds the sources; without one sets `why_not` to reason and remedy. Throws a usage or data Error.
  PowerSources (*open)(const MeterRequest& request, std::string& why_not);
};

/// All meters, in the order of src/power/catalog.def.
const Catalog<MeterEntry>& power_meters();

/// Sources of the meters that `--meter` names.
struct OpenMeters {
  PowerSources sources;
  std::string why_none;  ///< Each meter's reason; empty if there are sources.
};

/// Throws a usage Error for names that open_meters() does not take.
void check_meters(const std::string& names);

/// Sets the device of `run` that each source's GPU is, or why that is unknown, unless the source has one (see
/// match_gpus). Removes this machine's GPUs that are no device of `run`; sets `why_not` if none is left.
void assign_gpus(PowerSources& sources, const Environment& run, std::string& why_not);

/// Opens "auto", "none", or a list: "nvml,rapl", "replay:FILE". Throws a usage Error for an unknown name.
OpenMeters open_meters(const std::string& names, const Clock& clock, const Environment& run);

}  // namespace gpubench
