// Logs of Apple's `powermetrics --samplers gpu_power,cpu_power -i 1000`.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/fields.h"
#include "gpubench/core/text/quantities.h"
#include "power/log/power_log.h"
#include "power/log/stamp.h"
#include "power/log/text_lines.h"
#include "power/log/trace_collector.h"

namespace gpubench {
namespace {

constexpr std::string_view kBlockBegin = "*** Sampled system activity (";
constexpr double kLongestElapsed = 86400;

/// A part of the chip that powermetrics tells of. `label` is what its line begins with.
struct Rail {
  std::string_view label;
  const char* part;
  const char* device;
  PowerScope scope;
};

constexpr std::array<Rail, 5> kRails{
    {{"GPU Power:", "GPU", "mps", PowerScope::kGpuRail},
     {"CPU Power:", "CPU", "cpu", PowerScope::kCpuPackage},
     {"DRAM Power:", "DRAM", "", PowerScope::kDram},
     {"Combined Power (CPU + GPU + ANE):", "CPU + GPU + ANE", "", PowerScope::kSoc},
     // As macOS before version 13 called it.
     {"Package Power:", "Package", "", PowerScope::kSoc}}};

/// What powermetrics wrote for one stretch of time, which ends with its stamp.
struct Block {
  CoarseStamp stamp;
  std::size_t line = 0;
  std::array<std::optional<Watts>, kRails.size()> watts;
  std::optional<Hertz> gpu_clock;
};

/// A number and what follows it: "40697 mW".
struct Amount {
  double number;
  std::string_view unit;
};

Amount amount_in(std::string_view text, std::size_t line) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::optional<double> number = parse_decimal(text.substr(0, end));
  if (number && *number >= 0) return {*number, trimmed(text.substr(end))};
  refuse_line(line, "{} is {}; correct or remove the line", shown(text),
              number ? "negative" : "no number with a unit");
}

Watts watts_of(std::string_view text, std::size_t line) {
  const auto [number, unit] = amount_in(text, line);
  if (unit != "mW" && unit != "W") {
    refuse_line(line, "{} has no unit mW or W; correct or remove the line", shown(text));
  }
  const double watts = unit == "W" ? number : number / 1000;
  if (watts <= 1e6) return Watts{watts};
  refuse_line(line, "a power of {} cannot be; correct or remove the line", shown(text));
}

/// "1003.00ms elapsed"
Seconds elapsed_of(std::string_view text, std::size_t line) {
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

Block block_of(std::string_view line, std::size_t number, TraceCollector& collector) {
  const std::string_view inner = line.substr(kBlockBegin.size());
  const std::size_t middle = inner.find(") (");
  const std::size_t end = inner.find(") ***");
  if (middle == std::string_view::npos || end == std::string_view::npos || end < middle + 3) {
    refuse_line(
        number,
        "is not '*** Sampled system activity (TIME) (... ms elapsed) ***'; remove what belongs to it");
  }
  const std::string_view when = inner.substr(0, middle);
  const Reading<Stamp> stamp = parse_worded_stamp(when);
  if (!stamp.has_value()) {
    refuse_line(number, "{}: {}; remove what belongs to it", shown(when), stamp.reason());
  }
  const Seconds elapsed = elapsed_of(inner.substr(middle + 3, end - middle - 3), number);
  return {{collector.utc_of(stamp.value()), elapsed}, number, {}, {}};
}

void read_value(const TextLines& lines, Block& block, TraceCollector& collector) {
  const std::string_view line = lines.line();
  for (std::size_t i = 0; i < kRails.size(); ++i) {
    if (!line.starts_with(kRails[i].label) || is_cut(lines, "W", collector)) continue;
    block.watts[i] = watts_of(trimmed(line.substr(kRails[i].label.size())), lines.number());
  }
  for (const std::string_view label : {"GPU active frequency:", "GPU HW active frequency:"}) {
    if (!line.starts_with(label) || is_cut(lines, "MHz", collector)) continue;
    const auto [number, unit] = amount_in(trimmed(line.substr(label.size())), lines.number());
    if (unit == "MHz") block.gpu_clock = Hertz{number * 1e6};
  }
}

Seconds median_elapsed(const std::vector<Block>& blocks) {
  auto elapsed = mapped(blocks, [](const Block& block) { return block.stamp.elapsed; });
  std::ranges::sort(elapsed);
  return elapsed[elapsed.size() / 2];
}

PowerSourceFacts facts_of(const Rail& rail, Seconds averaging) {
  return {.meter = "powermetrics",
          .part = rail.part,
          .device = rail.device,
          .scope = rail.scope,
          .power_quantity = fmt::format("power averaged over {:.3g} s", averaging.value),
          .averaging = averaging,
          .accuracy =
              "estimated by the system; its manual (man powermetrics) warns against comparing devices by it",
          .is_replayed = true};
}

PowerReading reading_of(const Block& block, std::size_t rail) {
  PowerReading reading = blank_reading();
  if (block.watts[rail]) reading.power = *block.watts[rail];
  if (kRails[rail].scope == PowerScope::kGpuRail && block.gpu_clock) reading.clock = *block.gpu_clock;
  return reading;
}

/// A trace for each rail that any block tells of.
void add_rails(const std::vector<Block>& blocks, TraceCollector& collector) {
  const ChainedTimes chained = chained_times(mapped(blocks, &Block::stamp));
  collector.note(
      fmt::format("stamps have whole seconds: times may be off by {:.2f} s", chained.uncertainty.value));
  for (std::size_t rail = 0; rail < kRails.size(); ++rail) {
    const auto has_rail = [rail](const Block& block) { return block.watts[rail].has_value(); };
    if (std::ranges::none_of(blocks, has_rail)) continue;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      collector.add(
          kRails[rail].part, [&] { return facts_of(kRails[rail], median_elapsed(blocks)); },
          {chained.times[i], reading_of(blocks[i], rail)}, blocks[i].line);
    }
  }
}

void collect(const std::string& text, TraceCollector& collector) {
  std::vector<Block> blocks;
  for (TextLines lines(text); lines.next();) {
    if (!lines.line().starts_with(kBlockBegin)) {
      if (!blocks.empty()) read_value(lines, blocks.back(), collector);
    } else if (!is_cut(lines, "***", collector)) {
      blocks.push_back(block_of(lines.line(), lines.number(), collector));
    }
  }
  if (!blocks.empty()) add_rails(blocks, collector);
}

/// The machine is described before the first block.
bool is_like(const std::string& text) {
  constexpr std::size_t kDescription = 4096;
  return text.substr(0, kDescription).find(kBlockBegin) != std::string::npos;
}

}  // namespace

PowerLogFormat powermetrics_format() { return {"powermetrics", false, is_like, collect}; }

}  // namespace gpubench
