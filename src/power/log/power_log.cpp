#include "power/log/power_log.h"

#include <utility>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/outside_file.h"
#include "gpubench/core/nearest.h"
#include "power/log/trace_collector.h"

namespace gpubench {
namespace {

constexpr Bytes kLargestLog{std::int64_t{256} << 20};

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorKind::kData, what); }

/// Programs on Windows write UTF-16, and a mark before UTF-8.
void strip_byte_order_mark(std::string& text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) refuse("is UTF-16; save it as UTF-8");
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
}

std::string text_of(const std::string& path) {
  Reading<std::string> found = read_outside_file(path, kLargestLog);
  if (!found.has_value()) refuse(found.reason() + "; name a log of power, cut to the time of the run");
  std::string text = std::move(found).value();
  if (text.empty()) refuse("is empty; record it anew (see docs/power-logs.md)");
  strip_byte_order_mark(text);
  return text;
}

const PowerLogFormat& format_of(const std::string& text, const std::string& name) {
  for (const PowerLogFormat& format : power_log_formats()) {
    if (name == "auto" ? format.is_like(text) : format.name == name) return format;
  }
  const std::string known = join(names_in(power_log_formats()));
  if (name != "auto") {
    throw Error(ErrorKind::kUsage, "--format '{}': is no format; there are auto, {}", name, known);
  }
  throw Error(ErrorKind::kData, "is no log of power that gpubench knows ({}); see docs/power-logs.md", known);
}

}  // namespace

const std::vector<PowerLogFormat>& power_log_formats() {
  static const std::vector<PowerLogFormat> formats{nvidia_smi_format(), powermetrics_format(),
                                                   gpubench_log_format()};
  return formats;
}

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
    const std::string text = text_of(path);
    return parse_power_log(text, format_of(text, options.format), options);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    throw Error(ErrorKind::kData, "{}: {}", path, error.what());
  }
}

}  // namespace gpubench
