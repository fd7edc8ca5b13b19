#include "power/log/power_log.h"

#include <utility>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/outside_file.h"
#include "power/log/text_encoding.h"

namespace gpubench {
namespace {

constexpr Bytes kLargestLog{std::int64_t{256} << 20};

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorKind::kData, what); }

std::string text_of(const std::string& path, std::vector<std::string>& notes) {
  Reading<std::string> found = read_outside_file(path, kLargestLog);
  if (!found.has_value()) refuse(found.reason() + "; name a log of power, cut to the time of the run");
  std::string text = decoded_text(std::move(found).value(), kLargestLog, notes);
  if (text.empty()) refuse("is empty; record it again (see docs/power-logs.md)");
  return text;
}

const PowerLogFormat& format_of(const std::string& text, const std::string& name) {
  if (name != "auto") return power_log_formats().require(name, "--format");
  for (const PowerLogFormat& format : power_log_formats()) {
    if (format.is_like(text)) return format;
  }
  throw Error(ErrorKind::kData,
              "has no lines with a time and a power; see docs/power-logs.md for what can be read");
}

}  // namespace

PowerLog parse_power_log(const std::string& text, const PowerLogFormat& format,
                         const PowerLogOptions& options) {
  PowerLog log{format.name, format.is_monotonic, {}, {}};
  TraceCollector collector(options);
  format.collect(text, collector);
  collector.finish(log);
  return log;
}

PowerLog read_power_log(const std::string& path, const PowerLogOptions& options) {
  try {
    std::vector<std::string> notes;
    const std::string text = text_of(path, notes);
    PowerLog log = parse_power_log(text, format_of(text, options.format), options);
    log.notes.insert(log.notes.begin(), notes.begin(), notes.end());
    return log;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    throw Error(ErrorKind::kData, "{}: {}", path, error.what());
  }
}

}  // namespace gpubench
