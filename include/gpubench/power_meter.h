#pragma once
// Sources of power readings and the meters that find them. Implementations live in src/power, one file each;
// see CONTRIBUTING.md. No LibTorch.

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

/// What a source shows at one moment. Each is absent, with the reason, where the hardware does not answer;
/// never zero for "unknown".
struct PowerReading {
  Measured<Joules> energy = missing("no energy counter");  ///< Of a counter: since any moment, never falling.
  Measured<Watts> power = missing("no power sensor");
  Measured<Celsius> temperature = missing("no temperature sensor");
  Measured<Hertz> clock = missing("no clock");
  Measured<Watts> limit = missing("no power limit");
  std::string throttle{};  ///< Why the clock is held down now: "power cap, heat"; empty where it is not.
};

/// What stays the same about a source.
struct PowerSourceFacts {
  std::string meter{};   ///< Name of the catalog's entry.
  std::string part{};    ///< "GPU 0 NVIDIA H200", "package-0".
  std::string device{};  ///< "cuda:0", "cpu", "mps": whose work it measures; empty where that is not known.
  PowerScope scope = PowerScope::kUnknown;
  std::string power_quantity{};  ///< What `power` is: "instantaneous power"; empty where there is none.
  Seconds averaging{0};          ///< `power` is the mean over so long before the reading; 0: a moment.
  std::string accuracy{};       ///< What the maker says of it, with the source; empty where nothing is known.
  bool is_replayed = false;     ///< Not from hardware: a log.
  GpuIdentity gpu{};            ///< The GPU that it measures; all unknown for other sources.
  std::string why_no_device{};  ///< Why `device` is empty, where `gpu` could not be matched to the run's.
};

/// One thing whose power can be read. Not thread-safe: the sampler's thread is the only caller after
/// start-up. Counters that wrap are unwrapped by the source.
struct PowerSource {
  PowerSourceFacts facts;
  /// Takes well below a millisecond. Never throws.
  std::function<PowerReading()> read;
};

using PowerSources = std::vector<PowerSource>;

/// What a meter may want to know to find its sources.
struct MeterRequest {
  std::string argument;           ///< What stands behind the colon of `--meter replay:FILE`; mostly empty.
  const Clock& clock;             ///< Outlives the sources.
  HostFiles files = HostFiles();  ///< Where kernel files are looked for; tests have others.
};

/// Sources of one kind.
struct MeterEntry {
  std::string name;     ///< Command-line name, e.g. "nvml".
  std::string summary;  ///< One line for `gpubench list meters`.
  bool is_automatic;    ///< Whether `--meter auto` tries it. Those that need rights or an argument are not.

  /// The sources of this machine. Where there is none, `why_not` says why and, where something helps, what;
  /// the machine never asks for a password and the run never fails. Throws a usage or data Error for an
  /// argument that is no good.
  PowerSources (*open)(const MeterRequest& request, std::string& why_not);
};

/// All meters, in the order of src/power/catalog.def.
const Catalog<MeterEntry>& power_meters();

/// What `--meter` names, opened.
struct OpenMeters {
  PowerSources sources;
  std::string why_none;  ///< Empty where there are sources; else a sentence with each meter's reason.
};

/// Throws a usage Error for names that open_meters() does not take.
void check_meters(const std::string& names);

/// Names the device of `run` that each source's GPU is, or why that is unknown, where the source itself does
/// not tell (see match_gpus). Leaves out GPUs of this machine that are none of them; `why_not` is set where
/// no source is left.
void assign_gpus(PowerSources& sources, const Environment& run, std::string& why_not);

/// Opens "auto", "none", or a list such as "nvml,rapl" or "replay:FILE", for the devices of `run`. Throws a
/// usage Error for an unknown name; a named meter that finds nothing is named in `why_none`, as under auto.
OpenMeters open_meters(const std::string& names, const Clock& clock, const Environment& run);

}  // namespace gpubench
