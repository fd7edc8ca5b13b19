#pragma once
// Power logs from texts, for tests.

#include <string>
#include <vector>

#include "gpubench/core/error.h"
#include "power/log/power_log.h"
#include "support/temp_dir.h"

namespace gpubench::test {

/// Returns options that read stamps without a zone as UTC.
inline PowerLogOptions by_utc() {
  PowerLogOptions options;
  options.utc_offset = Seconds{0};
  return options;
}

inline PowerLog read_text(const std::string& text, const PowerLogOptions& options = by_utc()) {
  const TempDir folder;
  return read_power_log(folder.file("power.log", text).string(), options);
}

/// Returns the error message for a log, without its folder; empty if the log can be read.
inline std::string find_refusal(const std::string& text, const PowerLogOptions& options = by_utc()) {
  const TempDir folder;
  const std::string path = folder.file("power.log", text).string();
  try {
    read_power_log(path, options);
    return "";
  } catch (const Error& error) {
    const std::string message = error.what();
    return message.starts_with(path) ? message.substr(folder.path().string().size() + 1)
                                     : "ELSEWHERE: " + message;
  }
}

/// Returns the watts of a trace; -1 for missing ones.
inline std::vector<double> parse_watts(const PowerTrace& trace) {
  std::vector<double> watts;
  for (const PowerSample& sample : trace.samples) {
    watts.push_back(sample.reading.power.has_value() ? sample.reading.power.value().value : -1);
  }
  return watts;
}

/// Returns the times of a trace relative to `start`.
inline std::vector<double> list_times(const PowerTrace& trace, double start) {
  std::vector<double> times;
  for (const PowerSample& sample : trace.samples) times.push_back(sample.time.value - start);
  return times;
}

}  // namespace gpubench::test
