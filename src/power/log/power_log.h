#pragma once
// Power over time: traces of sources, and logs that other programs, or gpubench itself, recorded.

#include <optional>
#include <string>
#include <vector>

#include "gpubench/core/catalog.h"
#include "gpubench/power_meter.h"

namespace gpubench {

class TraceCollector;

/// A stretch of time on the clock of the samples.
struct TimeSpan {
  Seconds begin;
  Seconds end;

  friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};

inline Seconds compute_length(const TimeSpan& span) { return span.end - span.begin; }

/// A reading and when it was made: the middle of the call that read it.
struct PowerSample {
  Seconds time;
  PowerReading reading;
};

struct PowerTrace {
  PowerSourceFacts facts;
  std::vector<PowerSample> samples;
};

struct PowerLogOptions {
  std::string format = "auto";             ///< "auto", or a name of power_log_formats().
  std::vector<std::string> power_columns;  ///< "NAME" or "NAME:mW" of a table; empty: by their headings.
  std::optional<Seconds> utc_offset;  ///< Local time minus UTC of stamps without a zone; or this machine's.
  Seconds clock_offset{0};            ///< Added to every stamp: by how much the log's clock was behind.
};

/// A log's traces. Times are seconds since 1970-01-01 UTC, or monotonic. Sorted; the last of equal stamps.
struct PowerLog {
  std::string format;
  bool is_monotonic = false;
  std::vector<PowerTrace> traces;
  std::vector<std::string> notes;  ///< Corrections: lines left out, unordered or repeated stamps.
};

/// A format that can be read. Each is a file of this folder; see CONTRIBUTING.md.
struct PowerLogFormat {
  std::string name;   ///< For --format: "table", "powermetrics", "gpubench".
  bool is_monotonic;  ///< As PowerLog has it.
  bool (*is_like)(const std::string& text);
  void (*collect)(const std::string& text, TraceCollector& collector);
};

/// All formats, in the order of src/power/log/catalog.def, in which they are tried.
const Catalog<PowerLogFormat>& power_log_formats();

/// The log of `--power-log`: CSV with a line of headings, empty fields for missing values, throttle reasons
/// joined by ";". `clock_seconds` is the machine's monotonic clock.
inline constexpr const char* kRawLogHeader =
    "clock_seconds,meter,part,device,scope,joules,watts,celsius,hertz,limit_watts,throttle";
namespace gpubench_log_plugin {
/// Formats one line, with its end.
std::string raw_log_line(const PowerSourceFacts& facts, const PowerSample& sample);
}  // namespace gpubench_log_plugin

/// Reads the text of a log. Throws a data Error that names the line and what is wrong.
PowerLog parse_power_log(const std::string& text, const PowerLogFormat& format,
                         const PowerLogOptions& options);

/// Reads a file. Throws a data Error that names the file, the line and what is wrong.
PowerLog read_power_log(const std::string& path, const PowerLogOptions& options);

}  // namespace gpubench
