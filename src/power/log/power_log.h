#pragma once
// Power over time: traces of sources, and logs recorded by gpubench or by other programs.

#include <optional>
#include <string>
#include <vector>

#include "gpubench/power_meter.h"

namespace gpubench {

/// Span of time on the clock of the samples.
struct TimeSpan {
  Seconds begin;
  Seconds end;

  friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};

inline Seconds compute_length(const TimeSpan& span) { return span.end - span.begin; }

struct PowerSample {
  Seconds time;  ///< Middle of the call that read it.
  PowerReading reading;
};

struct PowerTrace {
  PowerSourceFacts facts;
  std::vector<PowerSample> samples;
};

struct PowerLogOptions {
  std::string format = "auto";  ///< "auto", a name of power_log_formats(), or a description of the log.
  std::optional<Seconds> utc_offset{};  ///< UTC offset of stamps without a zone (default: this machine's).
  Seconds clock_offset{0};              ///< Lag of the log's clock, added to every stamp.
};

struct PowerLog {
  std::string format;
  bool is_monotonic = false;       ///< Times are of a monotonic clock, not seconds since 1970-01-01 UTC.
  std::vector<PowerTrace> traces;  ///< Sorted by time, without repeated stamps.
  std::vector<std::string> notes;  ///< Corrections, such as ignored lines and repeated stamps.
};

/// Returns the names of all formats that are recognized.
std::vector<std::string> power_log_formats();

/// Throws a usage Error for another text than "auto", a name, or a description (see log_format.h).
void check_power_log_format(const std::string& text, const std::string& option);

/// Headings of the CSV file of `--power-log`. Missing values are empty, throttle reasons are joined by ";",
/// and `clock_seconds` is the machine's monotonic clock.
inline constexpr const char* kRawLogHeader =
    "clock_seconds,meter,part,device,scope,joules,watts,celsius,hertz,limit_watts,throttle";
/// Formats one line, including its line feed.
std::string raw_log_line(const PowerSourceFacts& facts, const PowerSample& sample);

/// Reads the text of a log. Throws a data Error that names the line, the problem and the remedy.
PowerLog parse_power_log(const std::string& text, const PowerLogOptions& options);

/// Reads a file. Throws a data Error that names the file, the line, the problem and the remedy.
PowerLog read_power_log(const std::string& path, const PowerLogOptions& options);

}  // namespace gpubench
