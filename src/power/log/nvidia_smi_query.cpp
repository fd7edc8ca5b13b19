// Output of `nvidia-smi -q -d POWER -l 1`: one page per second, with a section per GPU.

#include <optional>

#include "gpubench/core/text/quantities.h"
#include "power/log/trace_collector.h"

namespace gpubench::nvidia_smi_query_plugin {
namespace {

constexpr std::string_view kPage = "NVSMI LOG";
constexpr std::string_view kInstant = "Instantaneous Power Draw";

/// Splits "Key : value"; the value is empty for a title.
std::pair<std::string_view, std::string_view> split(std::string_view line) {
  const std::size_t colon = line.find(" : ");
  if (colon == std::string_view::npos) return {line, ""};
  return {trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 3))};
}

/// Returns the name of the power to read: instantaneous if the driver reports it, else averaged.
std::string_view find_key(const std::string& text) {
  for (TextLines lines(text); lines.next();) {
    const auto [key, value] = split(lines.line());
    if (key == kInstant && value.ends_with(" W")) return kInstant;
  }
  return text.find("Average Power Draw") == std::string::npos ? "Power Draw" : "Average Power Draw";
}

PowerReading read_power(std::string_view value, std::size_t line) {
  if (!value.ends_with(" W")) return power_reading(missing(std::string(value.substr(0, 40))));
  if (const std::optional<Watts> watts = parse_watts(value)) return power_reading(*watts);
  refuse_line(line, "the power {} is not a number of watts; correct or remove the line", shown(value));
}

void collect(const std::string& text, TraceCollector& collector) {
  const std::string_view wanted = find_key(text);
  std::optional<Stamp> stamp;
  std::string gpu;
  bool is_board = false;  // Within a section of board power, not of memory or module power.
  for (TextLines lines(text, &collector); lines.next();) {
    const auto [key, value] = split(lines.line());
    if (key == "Timestamp") {
      stamp = require_stamp(value, lines.number());
    } else if (value.empty() && key.starts_with("GPU ") && key.find(':') != std::string_view::npos) {
      gpu = key.substr(4);
    } else if (value.empty()) {
      is_board = key == "GPU Power Readings" || key == "Power Readings";
    } else if (is_board && key == wanted && !stamp) {
      refuse_line(lines.number(), "no Timestamp above this power; record with nvidia-smi -q -d POWER -l 1");
    } else if (is_board && key == wanted) {
      const char* const quantity = key == kInstant ? "instantaneous power" : "power.draw";
      const auto facts = [&] {
        return PowerSourceFacts{.meter = "nvidia-smi",
                                .part = "GPU " + gpu,
                                .scope = PowerScope::kGpuBoard,
                                .power_quantity = quantity,
                                .gpu = {.pci_address = gpu}};
      };
      collector.add(gpu, facts, {collector.to_utc(*stamp), read_power(value, lines.number())},
                    lines.number());
    }
  }
}

bool is_like(const std::string& text) {
  constexpr std::size_t kBegin = 4096;
  return text.substr(0, kBegin).find(kPage) != std::string::npos;
}

}  // namespace

PowerLogFormat entry_nvidia_smi_query() { return {"nvidia-smi-q", false, is_like, collect}; }

}  // namespace gpubench::nvidia_smi_query_plugin
