// NVIDIA's tegrastats (Jetson Linux Developer Guide). "VDD_GPU_SOC 2000mW/1900mW" is present and mean power.

#include <algorithm>

#include "gpubench/core/text/quantities.h"
#include "power/log/trace_collector.h"

namespace gpubench::tegrastats_plugin {
namespace {

constexpr std::size_t kLinesToRecognise = 100;

struct Rail {
  std::string_view name;
  Watts watts;
};

/// Reads "20000mW", or "20000" of JetPack before 5.
std::optional<double> parse_milliwatts(std::string_view text) {
  if (text.ends_with("mW")) text.remove_suffix(2);
  return parse_decimal(text);
}

/// Returns the rails with their present power. Ignores other units, such as "RAM 17953/62841MB".
std::vector<Rail> find_rails(std::string_view line) {
  std::vector<Rail> rails;
  std::string_view name;
  for (const std::string_view word : split_fields(line, ' ')) {
    if (word.empty()) continue;
    const std::size_t slash = std::min(word.find('/'), word.size());
    const std::optional<double> now = parse_milliwatts(word.substr(0, slash));
    const bool is_power = now && slash < word.size() && parse_milliwatts(word.substr(slash + 1));
    if (is_power) rails.push_back({name, Watts{*now / 1000}});
    name = word;
  }
  return rails;
}

bool has(std::string_view name, std::string_view word) { return name.find(word) != std::string_view::npos; }

PowerScope find_scope(std::string_view name) {
  if (has(name, "GPU")) return has(name, "CPU") ? PowerScope::kSoc : PowerScope::kGpuRail;
  if (has(name, "CPU")) return PowerScope::kCpuPackage;
  if (has(name, "DDR")) return PowerScope::kDram;
  if (name == "VDD_IN" || name == "POM_5V_IN" || name == "VDD_TOTAL") return PowerScope::kSystem;
  return PowerScope::kUnknown;
}

PowerSourceFacts make_facts(std::string_view name) {
  PowerSourceFacts facts{
      .meter = "tegrastats", .part = std::string(name), .scope = find_scope(name), .power_quantity = "power"};
  if (facts.scope == PowerScope::kGpuRail) facts.device = "cuda:0";
  if (facts.scope == PowerScope::kCpuPackage) facts.device = "cpu";
  return facts;
}

/// Reads the stamp at the start: "03-01-2026 12:00:00" (month first), or a stamp that a script added.
Measured<Stamp> read_stamp(std::string_view line) {
  const std::size_t first = std::min(line.find(' '), line.size());
  std::string two(line.substr(0, line.find(' ', first + 1)));
  if (two.size() == 19 && two[2] == '-' && two[5] == '-') {
    two = fmt::format("{}-{}{}", two.substr(6, 4), two.substr(0, 5), two.substr(10));
  }
  const Measured<Stamp> stamp = parse_stamp(two);
  return stamp.has_value() ? stamp : parse_stamp(line.substr(0, first));
}

void collect(const std::string& text, TraceCollector& collector) {
  collector.keep_equal_stamps();
  for (TextLines lines(text, &collector); lines.next();) {
    if (lines.line().empty()) continue;
    const std::vector<Rail> rails = find_rails(lines.line());
    if (rails.empty()) {
      collector.skip(lines.number(), lines.line(), "has no power");
      continue;
    }
    const Measured<Stamp> stamp = read_stamp(lines.line());
    if (!stamp.has_value()) {
      refuse_line(lines.number(),
                  "no date and time, which tegrastats lacks before JetPack 5; record with: tegrastats | "
                  "while read -r line; do echo \"$(date +%s.%N) $line\"; done");
    }
    for (const auto& [name, watts] : rails) {
      collector.add(
          std::string(name), [&, name = name] { return make_facts(name); },
          {collector.to_utc(stamp.value()), power_reading(watts)}, lines.number());
    }
  }
}

bool is_like(const std::string& text) {
  for (TextLines lines(text); lines.next() && lines.number() <= kLinesToRecognise;) {
    const bool has_memory = has(lines.line(), "RAM ") && has(lines.line(), "MB");
    if (has_memory && !find_rails(lines.line()).empty()) return true;
  }
  return false;
}

}  // namespace

PowerLogFormat entry_tegrastats() { return {"tegrastats", false, is_like, collect}; }

}  // namespace gpubench::tegrastats_plugin
