// Output of Apple's powermetrics: text, or, with `-f plist`, property lists separated by zero bytes.

#include <algorithm>
#include <array>

#include "gpubench/core/text/quantities.h"
#include "power/log/trace_collector.h"

namespace gpubench::powermetrics_log_plugin {
namespace {

constexpr std::string_view kTextBegin = "*** Sampled system activity (";
constexpr std::string_view kListBegin = "<plist";
constexpr double kLongestElapsed = 86400;
constexpr std::size_t kDescription =
    4096;  // Bytes that hold the description of the machine, before the samples.

/// Parts of the chip. Combined is CPU, GPU and Neural Engine; macOS before 13 reports Package instead.
enum Rail : std::size_t { kGpu, kCpu, kDram, kCombined, kPackage };

struct RailFacts {
  const char* part;
  const char* device;
  PowerScope scope;
};

constexpr std::array<RailFacts, 5> kRails{{{"GPU", "mps", PowerScope::kGpuRail},
                                           {"CPU", "cpu", PowerScope::kCpuPackage},
                                           {"DRAM", "", PowerScope::kDram},
                                           {"CPU + GPU + ANE", "", PowerScope::kSoc},
                                           {"Package", "", PowerScope::kSoc}}};

struct Value {
  std::string_view label;  ///< Start of a line of text.
  std::string_view key;    ///< Key in a property list; "gpu_energy" in mJ replaces a missing "gpu_power".
  Rail rail;
  double watts = 1e-3;  ///< Watts per unit in a property list.
};

constexpr std::array kValues{
    Value{"GPU Power:", "gpu_power", kGpu},
    Value{"CPU Power:", "cpu_power", kCpu},
    Value{"DRAM Power:", "dram_power", kDram},
    Value{"Combined Power (CPU + GPU + ANE):", "combined_power", kCombined},
    Value{"Package Power:", "package_power", kPackage},  // macOS 11 and 12
    Value{"Clusters Total Power:", "", kCpu},            // macOS 11
    Value{"Intel energy model derived package power (CPUs+GT+SA):", "package_watts", kCpu, 1}};

/// A sample: the mean of each rail over the time before its stamp.
struct Block {
  Stamp stamp;
  Seconds elapsed;
  std::size_t line = 0;
  std::array<std::optional<Watts>, kRails.size()> powers{};
  std::optional<Hertz> gpu_clock{};
};

Block make_block(std::string_view when, std::optional<double> elapsed, std::size_t line) {
  if (!elapsed || !(*elapsed > 0 && *elapsed <= kLongestElapsed)) {
    refuse_line(line, "no elapsed time between 0 s and 1 day; remove this sample");
  }
  return {require_stamp(when, line), Seconds{*elapsed}, line};
}

PowerSourceFacts make_facts(const RailFacts& rail, Seconds averaging) {
  return {.meter = "powermetrics",
          .part = rail.part,
          .device = rail.device,
          .scope = rail.scope,
          .power_quantity = fmt::format("power averaged over {:.3g} s", averaging.value),
          .averaging = averaging,
          .accuracy = "estimated by macOS, unsuitable for comparing devices (Apple, man powermetrics)"};
}

void add_block(const Block& block, TraceCollector& collector) {
  for (std::size_t rail = 0; rail < kRails.size(); ++rail) {
    if (!block.powers[rail]) continue;
    PowerReading reading = power_reading(*block.powers[rail]);
    if (rail == kGpu && block.gpu_clock) reading.clock = *block.gpu_clock;
    collector.add(
        kRails[rail].part, [&] { return make_facts(kRails[rail], block.elapsed); },
        {collector.to_utc(block.stamp), std::move(reading)}, block.line);
  }
}

/// Reads "*** Sampled system activity (TIME) (1003.00ms elapsed) ***".
Block read_heading(std::string_view line, std::size_t number) {
  const std::string_view inner = line.substr(kTextBegin.size());
  const std::size_t middle = std::min(inner.find(") ("), inner.size());
  const std::size_t begin = std::min(middle + 3, inner.size());
  const std::size_t end = std::min(inner.find("ms elapsed)", begin), inner.size());
  std::optional<double> elapsed = parse_decimal(trimmed(inner.substr(begin, end - begin)));
  if (elapsed) *elapsed /= 1000;
  return make_block(inner.substr(0, middle), elapsed, number);
}

void read_value(std::string_view line, std::size_t number, Block& block) {
  for (const Value& value : kValues) {
    if (!line.starts_with(value.label)) continue;
    block.powers[value.rail] = parse_watts(trimmed(line.substr(value.label.size())));
    if (block.powers[value.rail]) continue;
    refuse_line(number, "{} is not a power in W or mW; correct or remove the line", shown(line));
  }
  for (const std::string_view label : {"GPU active frequency:", "GPU HW active frequency:"}) {
    if (!line.starts_with(label) || !line.ends_with("MHz")) continue;
    line.remove_suffix(3);
    const std::optional<double> megahertz = parse_decimal(trimmed(line.substr(label.size())));
    if (megahertz) block.gpu_clock = Hertz{*megahertz * 1e6};
  }
}

void read_text(const std::string& text, TraceCollector& collector) {
  std::optional<Block> block;
  for (TextLines lines(text, &collector); lines.next();) {
    if (lines.line().starts_with(kTextBegin)) {
      if (block) add_block(*block, collector);
      block = read_heading(lines.line(), lines.number());
    } else if (block) {
      read_value(lines.line(), lines.number(), *block);
    }
  }
  if (block) add_block(*block, collector);
}

/// Returns the text between the next two tags after <key>name</key>; empty if the key is missing.
std::string_view find_value(std::string_view sample, std::string_view name) {
  const std::string key = fmt::format("<key>{}</key>", name);
  const std::size_t found = sample.find(key);
  if (found == std::string_view::npos) return {};
  const std::size_t begin = sample.find('>', found + key.size());
  if (begin == std::string_view::npos) return {};
  return trimmed(sample.substr(begin + 1, sample.find('<', begin) - begin - 1));
}

std::optional<double> read_number(std::string_view sample, std::string_view name) {
  const std::optional<double> number = parse_decimal(find_value(sample, name));
  return number && *number >= 0 ? number : std::nullopt;
}

Block read_list(std::string_view sample, std::size_t line) {
  std::optional<double> elapsed = read_number(sample, "elapsed_ns");
  if (elapsed) *elapsed /= 1e9;
  Block block = make_block(find_value(sample, "timestamp"), elapsed, line);
  for (const Value& value : kValues) {
    std::optional<double> number = read_number(sample, value.key);
    if (number) *number *= value.watts;
    if (!number && value.key.ends_with("_power")) {
      const std::string_view part = value.key.substr(0, value.key.find('_'));
      number = read_number(sample, fmt::format("{}_energy", part));
      if (number) *number *= 1e-3 / *elapsed;
    }
    if (number) block.powers[value.rail] = Watts{*number};
  }
  return block;
}

void read_lists(std::string_view text, TraceCollector& collector) {
  std::size_t line = 1;
  std::size_t begin = text.find(kListBegin);
  line += static_cast<std::size_t>(std::ranges::count(text.substr(0, begin), '\n'));
  while (begin != std::string_view::npos) {
    const std::size_t next = text.find(kListBegin, begin + kListBegin.size());
    const std::string_view sample = text.substr(begin, next - begin);
    if (sample.find("</plist>") == std::string_view::npos) {
      collector.leave_out_end();
    } else {
      add_block(read_list(sample, line), collector);
    }
    line += static_cast<std::size_t>(std::ranges::count(sample, '\n'));
    begin = next;
  }
}

bool is_list(std::string_view text) {
  return text.substr(0, kDescription).find(kListBegin) != std::string_view::npos;
}

void collect(const std::string& text, TraceCollector& collector) {
  collector.keep_equal_stamps();
  is_list(text) ? read_lists(text, collector) : read_text(text, collector);
}

bool is_like(const std::string& text) {
  return text.substr(0, kDescription).find(kTextBegin) != std::string::npos ||
         (is_list(text) && text.find("elapsed_ns") != std::string::npos);
}

}  // namespace

PowerLogFormat entry_powermetrics_log() { return {"powermetrics", false, is_like, collect}; }

}  // namespace gpubench::powermetrics_log_plugin
