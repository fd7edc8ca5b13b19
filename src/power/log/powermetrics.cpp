// Logs of Apple's `powermetrics --samplers gpu_power,cpu_power -i 1000`.

#include <algorithm>
#include <array>

#include <fmt/format.h>

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
double number_before_unit(std::string_view text, std::string_view& unit, std::size_t line) {
  text = trimmed(text);
  const std::size_t end = std::min(text.find(' '), text.size());
  unit = trimmed(text.substr(end));
  const std::optional<double> number = parse_decimal(text.substr(0, end));
  if (number && *number >= 0) return *number;
  refuse_line(line, "{} is {}; correct or remove the line", shown(text),
              number ? "negative" : "no number with a unit");
}

Watts watts_of(std::string_view text, std::size_t line) {
  std::string_view unit;
  const double number = number_before_unit(text, unit, line);
  if (unit != "mW" && unit != "W") {
    refuse_line(line, "{} has no unit mW or W; correct or remove the line", shown(trimmed(text)));
  }
  const double watts = unit == "W" ? number : number / 1000;
  if (watts <= 1e6) return Watts{watts};
  refuse_line(line, "a power of {} cannot be; correct or remove the line", shown(trimmed(text)));
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

class Parser {
 public:
  explicit Parser(const PowerLogOptions& options) : stamps_(options) {}

  PowerLog parse(const std::string& text) {
    TextLines lines(text);
    while (lines.next()) read(lines);
    if (const std::string note = stamps_.note(); !note.empty()) log_.notes.push_back(note);
    collect();
    return std::move(log_);
  }

 private:
  void read(const TextLines& lines) {
    const std::string_view line = lines.line();
    if (line.starts_with(kBlockBegin)) {
      if (!is_cut(lines, "***")) begin_block(line, lines.number());
    } else if (!blocks_.empty()) {
      read_value(lines);
    }
  }

  /// Notes it where the log ends within a line that would be of use.
  bool is_cut(const TextLines& lines, std::string_view end) {
    if (!lines.is_last_and_open() || lines.line().ends_with(end)) return false;
    log_.notes.emplace_back("the last line has no end and was left out");
    return true;
  }

  void begin_block(std::string_view line, std::size_t number) {
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
    blocks_.push_back({{stamps_.utc_of(stamp.value()), elapsed}, number, {}, {}});
  }

  void read_value(const TextLines& lines) {
    const std::string_view line = lines.line();
    for (std::size_t i = 0; i < kRails.size(); ++i) {
      if (!line.starts_with(kRails[i].label) || is_cut(lines, "W")) continue;
      blocks_.back().watts[i] = watts_of(line.substr(kRails[i].label.size()), lines.number());
    }
    for (const std::string_view label : {"GPU active frequency:", "GPU HW active frequency:"}) {
      if (!line.starts_with(label) || is_cut(lines, "MHz")) continue;
      std::string_view unit;
      const double number = number_before_unit(line.substr(label.size()), unit, lines.number());
      if (unit == "MHz") blocks_.back().gpu_clock = Hertz{number * 1e6};
    }
  }

  /// A trace for each rail that any block tells of.
  void collect() {
    TraceCollector collector;
    const std::vector<Seconds> times = chain();
    for (std::size_t rail = 0; rail < kRails.size(); ++rail) {
      const bool is_there = std::any_of(blocks_.begin(), blocks_.end(),
                                        [rail](const Block& block) { return block.watts[rail].has_value(); });
      for (std::size_t i = 0; is_there && i < blocks_.size(); ++i) {
        const std::size_t trace = collector.trace(
            kRails[rail].part, [&] { return facts_of(rail); }, blocks_[i].line);
        collector.add(trace, {times[i], reading_of(blocks_[i], rail)}, blocks_[i].line);
      }
    }
    collector.finish(log_);
  }

  std::vector<Seconds> chain() {
    std::vector<CoarseStamp> stamps;
    for (const Block& block : blocks_) stamps.push_back(block.stamp);
    ChainedTimes chained = chained_times(stamps);
    if (!stamps.empty()) {
      log_.notes.push_back(
          fmt::format("stamps have whole seconds: times may be off by {:.2f} s", chained.uncertainty.value));
    }
    return std::move(chained.times);
  }

  Seconds median_elapsed() const {
    std::vector<double> elapsed;
    for (const Block& block : blocks_) elapsed.push_back(block.stamp.elapsed.value);
    const auto middle = elapsed.begin() + static_cast<std::ptrdiff_t>(elapsed.size() / 2);
    std::nth_element(elapsed.begin(), middle, elapsed.end());
    return Seconds{*middle};
  }

  PowerSourceFacts facts_of(std::size_t rail) const {
    const Seconds averaging = median_elapsed();
    PowerSourceFacts facts;
    facts.meter = "powermetrics";
    facts.part = kRails[rail].part;
    facts.device = kRails[rail].device;
    facts.scope = kRails[rail].scope;
    facts.power_quantity = fmt::format("power averaged over {:.3g} s", averaging.value);
    facts.averaging = averaging;
    facts.accuracy =
        "estimated by the system; its manual (man powermetrics) warns against comparing devices by it";
    facts.is_replayed = true;
    return facts;
  }

  static PowerReading reading_of(const Block& block, std::size_t rail) {
    PowerReading reading = blank_reading();
    if (block.watts[rail]) reading.power = *block.watts[rail];
    if (kRails[rail].scope == PowerScope::kGpuRail && block.gpu_clock) reading.clock = *block.gpu_clock;
    return reading;
  }

  StampReader stamps_;
  std::vector<Block> blocks_;
  PowerLog log_{"powermetrics", false, {}, {}};
};

/// The machine is described before the first block.
bool is_like(const std::string& text) {
  constexpr std::size_t kDescription = 4096;
  return text.substr(0, kDescription).find(kBlockBegin) != std::string::npos;
}

PowerLog parse(const std::string& text, const PowerLogOptions& options) {
  return Parser(options).parse(text);
}

}  // namespace

PowerLogFormat powermetrics_format() { return {"powermetrics", is_like, parse}; }

}  // namespace gpubench
