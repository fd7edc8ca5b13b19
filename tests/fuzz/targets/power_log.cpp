// Power logs in all formats; gpubench's own format must survive a round trip.

#include "power/log/power_log.h"
#include "fuzz/pieces.h"
#include "fuzz/target.h"
#include "gpubench/core/collect.h"

namespace gpubench::fuzz {
namespace {

PowerLogOptions options() {
  PowerLogOptions options;
  options.utc_offset = Seconds{3600};
  return options;
}

void require_ordered(const PowerTrace& trace) {
  const auto is_late = [](const PowerSample& a, const PowerSample& b) { return !(a.time < b.time); };
  require(std::adjacent_find(trace.samples.begin(), trace.samples.end(), is_late) == trace.samples.end(),
          "times increase");
  require(!trace.samples.empty(), "a trace has readings");
}

std::string written(const std::vector<PowerTrace>& traces) {
  std::string text = std::string(kRawLogHeader) + "\n";
  for (const PowerTrace& trace : traces) {
    for (const PowerSample& sample : trace.samples) text += raw_log_line(trace.facts, sample);
  }
  return text;
}

void read_as(const std::string& format, const std::string& text) {
  accepts([&] {
    PowerLogOptions as = options();
    as.format = format;
    const PowerLog log = parse_power_log(text, as);
    for (const PowerTrace& trace : log.traces) require_ordered(trace);
    if (format != "gpubench") return;
    const std::string again = written(log.traces);
    require(written(parse_power_log(again, as).traces) == again, "a log survives a round trip");
  });
}

void read(std::string_view input) {
  const std::string text(input);
  for (const std::string& format : power_log_formats()) read_as(format, text);
  accepts([&] { read_power_log(lasting_file(input).string(), options()); });
}

}  // namespace

Target entry_power_log() { return {Shape::kLines, read}; }

}  // namespace gpubench::fuzz
