#include "power/log/nvidia_columns.h"

#include <algorithm>
#include <initializer_list>

#include "power/log/cursor.h"
#include "power/log/text_lines.h"

namespace gpubench {
namespace {

/// "power.draw [W]" without its unit, which the values tell.
std::string name_of(std::string_view heading) {
  std::string name(trimmed(heading.substr(0, heading.find('['))));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return name;
}

/// The first of these names that is there: the best ones come first.
std::optional<std::size_t> find(const std::vector<std::string>& names,
                                std::initializer_list<std::string_view> wanted) {
  for (const std::string_view name : wanted) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  return std::nullopt;
}

}  // namespace

bool is_nvidia_heading(std::string_view line) {
  return line.find("power.draw") != std::string_view::npos || line.starts_with("timestamp");
}

NvidiaColumns nvidia_columns(const CsvLine& headings, std::size_t line) {
  std::vector<std::string> names;
  for (const std::string_view heading : headings.fields) names.push_back(name_of(heading));
  const auto stamp = find(names, {"timestamp"});
  const auto power = find(names, {"power.draw.instant", "power.draw", "power.draw.average"});
  if (!stamp) refuse_line(line, "has no heading timestamp; record with --query-gpu=timestamp,power.draw");
  if (!power) refuse_line(line, "has no heading power.draw; record with --query-gpu=timestamp,power.draw");
  NvidiaColumns columns;
  columns.count = names.size();
  columns.stamp = *stamp;
  columns.power = *power;
  columns.power_name = names[*power];
  columns.index = find(names, {"index"});
  columns.uuid = find(names, {"uuid", "gpu_uuid"});
  columns.bus = find(names, {"pci.bus_id", "gpu_bus_id"});
  columns.name = find(names, {"name", "gpu_name"});
  columns.temperature = find(names, {"temperature.gpu"});
  columns.clock = find(names, {"clocks.current.sm", "clocks.sm", "clocks.current.graphics", "clocks.gr"});
  columns.limit = find(names, {"enforced.power.limit", "power.limit"});
  return columns;
}

}  // namespace gpubench
