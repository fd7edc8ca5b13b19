// Output of Apple's `powermetrics -f plist`: a property list a sample, with zero bytes between them.

#include <algorithm>

#include "gpubench/core/text/fields.h"
#include "gpubench/core/text/quantities.h"
#include "power/log/power_log.h"
#include "power/log/powermetrics_blocks.h"
#include "power/log/text_lines.h"

namespace gpubench {
namespace {

constexpr std::string_view kBegin = "<plist";
constexpr double kLongestElapsed = 86400;

/// A key that is read, and how.
struct Key {
  std::string_view name;
  PowermetricsRail rail;
  double watts;    ///< Per unit.
  bool is_energy;  ///< Over the elapsed time: used where there is no power.
};

constexpr std::array kKeys{Key{"gpu_power", PowermetricsRail::kGpu, 1e-3, false},
                           Key{"cpu_power", PowermetricsRail::kCpu, 1e-3, false},
                           Key{"dram_power", PowermetricsRail::kDram, 1e-3, false},
                           Key{"combined_power", PowermetricsRail::kCombined, 1e-3, false},
                           Key{"package_power", PowermetricsRail::kPackage, 1e-3, false},
                           Key{"package_watts", PowermetricsRail::kCpu, 1, false},  // Intel
                           Key{"gpu_energy", PowermetricsRail::kGpu, 1e-3, true},
                           Key{"cpu_energy", PowermetricsRail::kCpu, 1e-3, true},
                           Key{"dram_energy", PowermetricsRail::kDram, 1e-3, true},
                           Key{"package_energy", PowermetricsRail::kPackage, 1e-3, true}};

/// The text between the next two tags after <key>name</key> in a sample; empty if the key is missing.
std::string_view find_value(std::string_view sample, std::string_view name) {
  const std::string key = "<key>" + std::string(name) + "</key>";
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

PowermetricsBlock make_block(std::string_view sample, std::size_t line, TraceCollector& collector) {
  const std::string_view when = find_value(sample, "timestamp");
  const Measured<Stamp> stamp = parse_stamp(when);
  if (!stamp.has_value()) {
    refuse_line(line, "{}: {}; remove this property list", shown(when), stamp.reason());
  }
  const double elapsed = read_number(sample, "elapsed_ns").value_or(0) / 1e9;
  if (!(elapsed > 0 && elapsed <= kLongestElapsed)) {
    refuse_line(line, "has no elapsed_ns between 0 and a day; remove this property list");
  }
  PowermetricsBlock block{{collector.to_utc(stamp.value()), Seconds{elapsed}}, line};
  for (const Key& key : kKeys) {
    const std::optional<double> number = read_number(sample, key.name);
    if (number && !block[key.rail])
      block[key.rail] = Watts{*number * key.watts / (key.is_energy ? elapsed : 1)};
  }
  return block;
}

void collect(const std::string& text, TraceCollector& collector) {
  std::vector<PowermetricsBlock> blocks;
  std::size_t line = 1;
  for (std::size_t begin = text.find(kBegin), counted = 0; begin != std::string::npos;) {
    line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
    counted = begin;
    const std::size_t end = text.find("</plist>", begin);
    const std::size_t next = text.find(kBegin, begin + kBegin.size());
    if (end == std::string::npos || end > next) {
      collector.leave_out_end();
    } else {
      blocks.push_back(make_block(std::string_view(text).substr(begin, end - begin), line, collector));
    }
    begin = next;
  }
  add_blocks(blocks, collector);
}

bool is_like(const std::string& text) {
  constexpr std::size_t kStart = 4096;
  return text.substr(0, kStart).find(kBegin) != std::string::npos &&
         text.find("elapsed_ns") != std::string::npos;
}

}  // namespace

PowerLogFormat entry_powermetrics_plist() { return {"powermetrics-plist", false, is_like, collect}; }

}  // namespace gpubench
