#pragma once
// Logs of power that other programs, or gpubench itself, recorded.

#include <string>
#include <vector>

#include "gpubench/core/catalog.h"
#include "power/log/trace_collector.h"

namespace gpubench {

/// A format that can be read. Each is a file of this folder; see CONTRIBUTING.md.
struct PowerLogFormat {
  std::string name;   ///< For --format: "table", "powermetrics", "gpubench".
  bool is_monotonic;  ///< As PowerLog has it.
  bool (*is_like)(const std::string& text);
  void (*collect)(const std::string& text, TraceCollector& collector);
};

/// All formats, in the order of src/power/log/catalog.def, in which they are tried.
const Catalog<PowerLogFormat>& power_log_formats();

/// The log that gpubench itself writes (`--power-log`): comma-separated values with a line of headings, a
/// reading a line, numbers with a point, an empty field where there is no value, throttle reasons joined by
/// "+". `clock_seconds` is the machine's monotonic clock.
inline constexpr const char* kRawLogHeader =
    "clock_seconds,meter,part,device,scope,joules,watts,celsius,hertz,limit_watts,throttle";
/// A line of it, with its end.
std::string raw_log_line(const PowerSourceFacts& facts, const PowerSample& sample);

/// Reads the text of a log. Throws a data Error that names the line and what is wrong.
PowerLog parse_power_log(const std::string& text, const PowerLogFormat& format,
                         const PowerLogOptions& options);

/// Reads a file. Throws a data Error that names the file, the line and what is wrong.
PowerLog read_power_log(const std::string& path, const PowerLogOptions& options);

}  // namespace gpubench
