// Logs of Apple's `powermetrics --samplers gpu_power,cpu_power -i 1000`.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gpubench/core/text/fields.h"
#include "gpubench/core/text/quantities.h"
#include "power/log/power_log.h"
#include "power/log/powermetrics_blocks.h"
#include "power/log/text_lines.h"

namespace gpubench {
namespace {

constexpr std::string_view kBlockBegin = "*** Sampled system activity (";
constexpr double kLongestElapsed = 86400;

/// What the line of a rail begins with.
struct Label {
  std::string_view text;
  PowermetricsRail rail;
  bool is_fallback;  ///< Counts only where the block has no other line of the rail.
};

constexpr std::array kLabels{
    Label{"GPU Power:", PowermetricsRail::kGpu, false},
    Label{"CPU Power:", PowermetricsRail::kCpu, false},
    Label{"DRAM Power:", PowermetricsRail::kDram, false},
    Label{"Combined Power (CPU + GPU + ANE):", PowermetricsRail::kCombined, false},
    Label{"Package Power:", PowermetricsRail::kPackage, false},  // macOS 11 and 12
    Label{"Clusters Total Power:", PowermetricsRail::kCpu, true},
    Label{"Intel energy model derived package power (CPUs+GT+SA):", PowermetricsRail::kCpu, true}};

/// A number and what follows it: "40697 mW".
struct Amount {
  double number;
  std::string_view unit;
};

Amount amount_in(std::string_view text, std::size_t line) {
  const std::size_t end = std::min(text.find_first_not_of("+-.0123456789eE"), text.size());
  const std::optional<double> number = parse_decimal(text.substr(0, end));
  if (number && *number >= 0) return {*number, trimmed(text.substr(end))};
  refuse_line(line, "{} is {}; correct or remove the line", shown(text),
              number ? "negative" : "no number with a unit");
}

Watts parse_watts(std::string_view text, std::size_t line) {
  const auto [number, unit] = amount_in(text, line);
  if (unit != "mW" && unit != "W") {
    refuse_line(line, "{} has no unit mW or W; correct or remove the line", shown(text));
  }
  const double watts = unit == "W" ? number : number / 1000;
  if (watts <= 1e6) return Watts{watts};
  refuse_line(line, "a power of {} cannot be; correct or remove the line", shown(text));
}

/// "1003.00ms elapsed"
Seconds parse_elapsed(std::string_view text, std::size_t line) {
  constexpr std::string_view kEnd = "ms elapsed";
  if (!text.ends_with(kEnd)) refuse_line(line, "has no '(... ms elapsed)'; remove what belongs to it");
  const std::optional<double> milliseconds =
      parse_decimal(trimmed(text.substr(0, text.size() - kEnd.size())));
  if (milliseconds && *milliseconds > 0 && *milliseconds <= kLongestElapsed * 1000) {
    return Seconds{*milliseconds / 1000};
  }
  refuse_line(line, "{} is no time between 0 and a day; remove what belongs to it", shown(text));
}

/// Whether the log ends within a line that would be of use.
bool is_cut(const TextLines& lines, std::string_view end, TraceCollector& collector) {
  if (!lines.is_last_and_open() || lines.line().ends_with(end)) return false;
  collector.leave_out_end();
  return true;
}

PowermetricsBlock make_block(std::string_view line, std::size_t number, TraceCollector& collector) {
  const std::string_view inner = line.substr(kBlockBegin.size());
  const std::size_t middle = inner.find(") (");
  const std::size_t end = inner.find(") ***");
  if (middle == std::string_view::npos || end == std::string_view::npos || end < middle + 3) {
    refuse_line(
        number,
        "is not '*** Sampled system activity (TIME) (... ms elapsed) ***'; remove what belongs to it");
  }
  const std::string_view when = inner.substr(0, middle);
  const Measured<Stamp> stamp = parse_worded_stamp(when);
  if (!stamp.has_value()) {
    refuse_line(number, "{}: {}; remove what belongs to it", shown(when), stamp.reason());
  }
  const Seconds elapsed = parse_elapsed(inner.substr(middle + 3, end - middle - 3), number);
  return {{collector.to_utc(stamp.value()), elapsed}, number};
}

void read_value(const TextLines& lines, PowermetricsBlock& block, TraceCollector& collector) {
  const std::string_view line = lines.line();
  for (const Label& label : kLabels) {
    if (!line.starts_with(label.text) || is_cut(lines, "W", collector)) continue;
    if (label.is_fallback && block[label.rail]) continue;
    block[label.rail] = parse_watts(trimmed(line.substr(label.text.size())), lines.number());
  }
  for (const std::string_view label : {"GPU active frequency:", "GPU HW active frequency:"}) {
    if (!line.starts_with(label) || is_cut(lines, "MHz", collector)) continue;
    const auto [number, unit] = amount_in(trimmed(line.substr(label.size())), lines.number());
    if (unit == "MHz") block.gpu_clock = Hertz{number * 1e6};
  }
}

void collect(const std::string& text, TraceCollector& collector) {
  std::vector<PowermetricsBlock> blocks;
  for (TextLines lines(text); lines.next();) {
    if (!lines.line().starts_with(kBlockBegin)) {
      if (!blocks.empty()) read_value(lines, blocks.back(), collector);
    } else if (!is_cut(lines, "***", collector)) {
      blocks.push_back(make_block(lines.line(), lines.number(), collector));
    }
  }
  add_blocks(blocks, collector);
}

/// The machine is described before the first block.
bool is_like(const std::string& text) {
  constexpr std::size_t kDescription = 4096;
  return text.substr(0, kDescription).find(kBlockBegin) != std::string::npos;
}

}  // namespace

PowerLogFormat entry_powermetrics_text() { return {"powermetrics", false, is_like, collect}; }

}  // namespace gpubench
