#include "power/log/columns.h"

#include <algorithm>
#include <array>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"
#include "power/log/values.h"

namespace gpubench {
namespace {

struct Heading {
  std::string name;   ///< Lower case, without the unit.
  std::string title;  ///< As written, without the unit in brackets.
  std::string unit;   ///< "W"; empty if it is missing.
};

/// Splits a heading. The unit is in brackets, or ends the name: "power_mw", "powerWatts" of Weights & Biases.
Heading parse_heading(std::string_view text) {
  text = trimmed(text.substr(std::min(text.find_first_not_of("#_"), text.size())));
  const std::size_t open = text.find_last_of("[(");
  if (open != std::string_view::npos && (text.ends_with(']') || text.ends_with(')'))) {
    const std::string_view title = trimmed(text.substr(0, open));
    const std::string_view unit = trimmed(text.substr(open + 1, text.size() - open - 2));
    if (!unit.empty()) return {lower(title), std::string(title), std::string(unit)};
    text = title;
  }
  Heading heading{lower(text), std::string(text), ""};
  const std::string_view unit = unit_at_end(heading.name);
  std::string name = heading.name.substr(0, heading.name.size() - unit.size());
  const bool is_separated = name.ends_with('_') || name.ends_with(' ');
  if (unit.empty() || (!name.empty() && !is_separated && !unit.ends_with("watts"))) return heading;
  if (is_separated) name.pop_back();
  return {name.empty() ? heading.name : name, heading.title, std::string(unit)};
}

struct RoleHeadings {
  ColumnPlace Columns::*place;
  std::vector<std::string_view> names;  ///< The best first.
};

const std::vector<RoleHeadings>& role_headings() {
  static const std::vector<RoleHeadings> all{
      {&Columns::time,
       {"timestamp", "time_of_day_seconds", "datetime", "date_time", "date time", "date/time", "unix_time",
        "unix_timestamp", "epoch", "time_stamp", "time stamp", "time", "ts", "local time"}},
      {&Columns::date, {"date"}},
      {&Columns::index, {"index"}},
      {&Columns::gpu,
       {"gpu", "gpu_id", "gpu id", "gpu_index", "gpu index", "gpuid", "device", "device_id", "card"}},
      {&Columns::uuid, {"uuid", "gpu_uuid", "gpu uuid"}},
      {&Columns::bus, {"pci.bus_id", "gpu_bus_id", "bdf", "gpu_bdf", "pci bus"}},
      {&Columns::name, {"name", "gpu_name", "gpu name", "device name"}},
      {&Columns::host, {"host", "hostname", "node", "nodename", "node_name", "server"}},
      {&Columns::temperature,
       {"temperature.gpu", "gtemp", "hotspot", "hotspot_temperature", "gpu temperature"}},
      {&Columns::clock,
       {"clocks.current.sm", "clocks.sm", "clocks.current.graphics", "clocks.gr", "pclk", "gfx_clk",
        "gfx_clock"}},
      {&Columns::limit, {"enforced.power.limit", "power.limit"}},
      {&Columns::processor, {"cpu", "core"}}};
  return all;
}

/// Power heading of a known tool. If a part has several, the first in the list is used.
struct KnownPower {
  std::string_view heading;
  const char* tool;
  const char* quantity;
  const char* part = "GPU";  ///< "GPU" if other columns name the GPU.
  PowerScope scope = PowerScope::kGpuBoard;
  const char* device = "";
  std::string_view signature = "";  ///< Second heading that identifies the tool; may be empty.
  Seconds averaging{0};
};

constexpr std::array kKnownPower{
    KnownPower{"power.draw.instant", "nvidia-smi", "instantaneous power"},
    KnownPower{"power.draw", "nvidia-smi", "power.draw"},
    KnownPower{.heading = "power.draw.average",
               .tool = "nvidia-smi",
               .quantity = "power.draw.average",
               .averaging = {1}},
    KnownPower{.heading = "pwr", .tool = "nvidia-smi", .quantity = "power", .signature = "gpu"},
    KnownPower{"socket_power", "amd-smi", "power"},
    KnownPower{"current_socket_power", "amd-smi", "power"},
    KnownPower{"average_socket_power", "amd-smi", "power"},
    KnownPower{.heading = "power_usage", .tool = "amd-smi", .quantity = "power", .signature = "gpu"},
    KnownPower{"board power draw", "gpu-z", "power"},
    KnownPower{"gpu chip power draw", "gpu-z", "power", "GPU chip", PowerScope::kGpuRail},
    KnownPower{"pkgwatt", "turbostat", "average power", "packages", PowerScope::kCpuPackage, "cpu"},
    KnownPower{"ramwatt", "turbostat", "average power", "DRAM", PowerScope::kDram},
    KnownPower{"syswatt", "turbostat", "average power", "system", PowerScope::kSystem},
    KnownPower{"gpu_power", "macmon", "average power", "GPU", PowerScope::kGpuRail, "mps", "ane_power"},
    KnownPower{"cpu_power", "macmon", "average power", "CPU", PowerScope::kCpuPackage, "cpu", "ane_power"},
    KnownPower{"ram_power", "macmon", "average power", "DRAM", PowerScope::kDram, "", "ane_power"},
    KnownPower{"all_power", "macmon", "average power", "CPU + GPU + ANE", PowerScope::kSoc, "", "ane_power"},
    KnownPower{"sys_power", "macmon", "average power", "system", PowerScope::kSystem, "", "ane_power"}};

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != text.npos; });
}

bool is_power(const Heading& heading) {
  // Limits and statistics are not readings.
  if (has_any(heading.name, {"limit", "cap", "max", "min", "peak", "target", "state", "manage", "default",
                             "factor", "rated", "apparent", "reactive", "requested"}))
    return false;
  if (!heading.unit.empty()) return watts_per_unit(heading.unit).has_value();
  return has_any(heading.name, {"power", "watt", "pwr"});
}

PowerScope scope_of_name(std::string_view name) {
  if (has_any(name, {"gpu", "board", "card"})) return PowerScope::kGpuBoard;
  if (has_any(name, {"cpu", "package", "pkg", "socket"})) return PowerScope::kCpuPackage;
  if (has_any(name, {"dram", "memory"})) return PowerScope::kDram;
  if (has_any(name, {"system", "chassis", "node", "wall", "plug", "mains", "psu", "total"}))
    return PowerScope::kSystem;
  return PowerScope::kUnknown;
}

PowerSourceFacts facts_of_name(const Heading& heading) {
  PowerSourceFacts facts{.meter = "table",
                         .part = heading.title,
                         .scope = scope_of_name(heading.name),
                         .power_quantity = "power"};
  if (facts.scope != PowerScope::kGpuBoard) return facts;
  // "GPU0 power" as well as "GPU0" and "system/gpu.0.power".
  std::string_view name = std::string_view(heading.name).substr(heading.name.rfind('/') + 1);
  for (const std::string_view word : {"_power", " power", ".power", "_draw"}) {
    if (name.ends_with(word)) name.remove_suffix(word.size());
  }
  facts.gpu.index = gpu_index(name);
  if (facts.gpu.index) facts.part = "GPU " + std::to_string(*facts.gpu.index);
  if (name == "gpu") facts.part = "GPU";
  return facts;
}

PowerSourceFacts make_facts(const KnownPower& known) {
  return {.meter = known.tool,
          .part = known.part,
          .device = known.device,
          .scope = known.scope,
          .power_quantity = known.quantity,
          .averaging = known.averaging};
}

class HeadingReader {
 public:
  explicit HeadingReader(const std::vector<std::string_view>& texts)
      : texts_(texts), headings_(mapped(texts, parse_heading)) {}

  Columns columns(const std::vector<std::string>& chosen) {
    columns_.count = texts_.size();
    find_roles();
    for (const std::string& text : chosen) find_chosen(text);
    if (chosen.empty()) find_power();
    find_scopes();
    return std::move(columns_);
  }

 private:
  std::optional<std::size_t> find(std::string_view name) const {
    const auto found = std::ranges::find(headings_, name, &Heading::name);
    if (found == headings_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - headings_.begin());
  }

  void find_roles() {
    for (const auto& [place, names] : role_headings()) {
      for (const std::string_view name : names) {
        if (!(columns_.*place)) columns_.*place = find(name);
      }
    }
    // "Date" alone is a whole time stamp; beside "Time" it is the first half of one.
    if (!columns_.time) std::swap(columns_.time, columns_.date);
    // turbostat's "node" is a part of the machine, not a host.
    (find("pkgwatt") ? columns_.host : columns_.processor).reset();
  }

  PowerColumn& add(std::size_t at, PowerSourceFacts facts) {
    const std::optional<double> unit = watts_per_unit(headings_[at].unit);
    columns_.power.push_back({at, std::move(facts), unit.value_or(1), unit.has_value()});
    return columns_.power.back();
  }

  bool is_of_tool(const KnownPower& known) const { return known.signature.empty() || find(known.signature); }

  void find_power() {
    for (const KnownPower& known : kKnownPower) {
      const auto at = find(known.heading);
      const auto has_part = [&](const PowerColumn& column) { return column.facts.part == known.part; };
      if (!at || !is_of_tool(known) || std::ranges::any_of(columns_.power, has_part)) continue;
      add(*at, make_facts(known)).has_unit = true;
    }
    if (columns_.power.empty()) add_all(is_power);
    if (!columns_.power.empty()) return;
    add_all([](const Heading& heading) {
      return heading.name.starts_with("gpu") && gpu_index(heading.name) && heading.unit.empty();
    });
    for (PowerColumn& column : columns_.power) column.is_guess = true;
  }

  void add_all(bool (*is_wanted)(const Heading&)) {
    for (std::size_t i = 0; i < headings_.size(); ++i) {
      if (is_wanted(headings_[i])) add(i, facts_of_name(headings_[i]));
    }
  }

  /// Adds the column of a value of --power-column, "NAME" or "NAME:mW". NAME is a heading or a number.
  void find_chosen(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    const auto unit = colon != std::string::npos ? watts_per_unit(text.substr(colon + 1)) : std::nullopt;
    const std::string chosen = unit ? text.substr(0, colon) : text;
    require(!chosen.empty(), "--power-column '{}': no column named; write NAME, NAME:W or NAME:mW", text);
    const std::string name = lower(chosen);
    for (std::size_t i = 0; i < headings_.size(); ++i) {
      const bool has_name = headings_[i].name == name || lower(trimmed(texts_[i])) == name;
      if (!has_name && std::to_string(i + 1) != chosen) continue;
      const auto is_known = [&](const KnownPower& known) {
        return headings_[i].name == known.heading && is_of_tool(known);
      };
      const auto* const known = std::ranges::find_if(kKnownPower, is_known);
      PowerColumn& column =
          add(i, known == kKnownPower.end() ? facts_of_name(headings_[i]) : make_facts(*known));
      column.watts = unit.value_or(column.watts);
      column.has_unit = true;
      if (columns_.gpu == i) columns_.gpu.reset();
      return;
    }
    throw Error(ErrorKind::kUsage, "--power-column '{}': not a column of the log; use {}", chosen,
                join(mapped(texts_, [](std::string_view each) { return std::string(trimmed(each)); })));
  }

  /// Sets unknown scopes. Mains meters and power per node measure the system, power per GPU the board.
  void find_scopes() {
    const bool is_plug = find("voltage") && find("current");
    const bool is_gpu = columns_.gpu || columns_.uuid || columns_.bus || columns_.index;
    for (PowerColumn& column : columns_.power) {
      if (column.facts.scope != PowerScope::kUnknown) continue;
      if (is_plug || (columns_.host && !is_gpu)) {
        column.facts.scope = PowerScope::kSystem;
      } else if (is_gpu) {
        column.facts.scope = PowerScope::kGpuBoard;
        column.facts.part = "GPU";
      }
    }
  }

  const std::vector<std::string_view>& texts_;
  std::vector<Heading> headings_;
  Columns columns_;
};

}  // namespace

Columns columns_of_headings(const std::vector<std::string_view>& headings,
                            const std::vector<std::string>& chosen) {
  return HeadingReader(headings).columns(chosen);
}

}  // namespace gpubench
