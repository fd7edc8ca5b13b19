#include "power/log/columns.h"

#include <algorithm>
#include <charconv>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/text/fields.h"

namespace gpubench {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

/// "Board Power Draw [W]" in parts.
struct Heading {
  std::string name;   ///< Lower case, without the unit.
  std::string title;  ///< As it is written, without the unit in brackets.
  std::string unit;   ///< "W"; empty if there is none.
};

Heading parse_heading(std::string_view text) {
  text = trimmed(text.substr(std::min(text.find_first_not_of("#_"), text.size())));
  Heading heading{lower(text), std::string(text), ""};
  const std::size_t open = text.find_last_of("[(");
  if (open != std::string_view::npos && (text.ends_with(']') || text.ends_with(')'))) {
    const std::string_view name = trimmed(text.substr(0, open));
    heading = {lower(name), std::string(name),
               std::string(trimmed(text.substr(open + 1, text.size() - open - 2)))};
  }
  for (const std::string_view separator : {"_", " "}) {
    const std::size_t last = heading.name.rfind(separator);
    if (!heading.unit.empty() || last == std::string::npos || last == 0) continue;
    std::string unit = heading.name.substr(last + 1);
    if (unit == "watts" || unit == "watt") unit = "w";
    if (!watts_per_unit(unit)) continue;
    heading.name.resize(last);
    heading.unit = unit;
  }
  if (heading.unit.empty() && watts_per_unit(heading.name)) heading.unit = heading.name;
  for (const std::string_view unit : {"milliwatts", "watts"}) {  // "powerWatts" of Weights & Biases
    if (!heading.unit.empty() || !heading.name.ends_with(unit)) continue;
    heading.name.resize(heading.name.size() - unit.size());
    heading.unit = unit;
  }
  return heading;
}

struct RoleHeadings {
  ColumnRole role;
  std::vector<std::string> names;  ///< The best first.
};

const std::vector<RoleHeadings>& role_headings() {
  static const std::vector<RoleHeadings> all{
      {ColumnRole::kTime,
       {"timestamp", "time_of_day_seconds", "datetime", "date_time", "date time", "date/time", "unix_time",
        "unix_timestamp", "epoch", "time_stamp", "time stamp", "time", "ts", "local time"}},
      {ColumnRole::kDate, {"date"}},
      {ColumnRole::kIndex, {"index"}},
      {ColumnRole::kGpu,
       {"gpu", "gpu_id", "gpu id", "gpu_index", "gpu index", "gpuid", "device", "device_id", "card"}},
      {ColumnRole::kUuid, {"uuid", "gpu_uuid", "gpu uuid"}},
      {ColumnRole::kBus, {"pci.bus_id", "gpu_bus_id", "bdf", "gpu_bdf", "pci bus"}},
      {ColumnRole::kName, {"name", "gpu_name", "gpu name", "card series", "device name"}},
      {ColumnRole::kHost, {"host", "hostname", "node", "nodename", "node_name", "server"}},
      {ColumnRole::kTemperature,
       {"temperature.gpu", "gtemp", "hotspot", "hotspot_temperature", "gpu temperature",
        "temperature (sensor junction)", "temperature (sensor edge)"}},
      {ColumnRole::kClock,
       {"clocks.current.sm", "clocks.sm", "clocks.current.graphics", "clocks.gr", "pclk", "gfx_clk",
        "gfx_clock"}},
      {ColumnRole::kLimit, {"enforced.power.limit", "power.limit"}}};
  return all;
}

/// A heading that a known tool writes.
struct KnownPower {
  const char* heading;
  const char* signature;  ///< A heading that has to be there as well.
  const char* tool;
  const char* part;  ///< "GPU": named by the line. Of a part's several headings the first counts.
  const char* device;
  PowerScope scope;
  const char* quantity;
  Seconds averaging{0};
};

constexpr std::array kKnownPower{
    KnownPower{"power.draw.instant", "", "nvidia-smi", "GPU", "", PowerScope::kGpuBoard,
               "instantaneous power"},
    KnownPower{"power.draw", "", "nvidia-smi", "GPU", "", PowerScope::kGpuBoard, "power.draw"},
    KnownPower{
        "power.draw.average", "", "nvidia-smi", "GPU", "", PowerScope::kGpuBoard, "power.draw.average", {1}},
    KnownPower{"pwr", "gpu", "nvidia-smi", "GPU", "", PowerScope::kGpuBoard, "power"},
    KnownPower{"socket_power", "", "amd-smi", "GPU", "", PowerScope::kGpuBoard, "power"},
    KnownPower{"power.socket_power", "", "amd-smi", "GPU", "", PowerScope::kGpuBoard, "power"},
    KnownPower{"current_socket_power", "", "amd-smi", "GPU", "", PowerScope::kGpuBoard, "power"},
    KnownPower{"average_socket_power", "", "amd-smi", "GPU", "", PowerScope::kGpuBoard, "power"},
    KnownPower{"power_usage", "gpu", "amd-smi", "GPU", "", PowerScope::kGpuBoard, "power"},
    KnownPower{"current socket graphics package power", "", "rocm-smi", "GPU", "", PowerScope::kGpuBoard,
               "power"},
    KnownPower{"average graphics package power", "", "rocm-smi", "GPU", "", PowerScope::kGpuBoard,
               "average power"},
    KnownPower{"board power draw", "", "gpu-z", "GPU", "", PowerScope::kGpuBoard, "power"},
    KnownPower{"gpu chip power draw", "", "gpu-z", "GPU chip", "", PowerScope::kGpuRail, "power"},
    KnownPower{"pkgwatt", "", "turbostat", "packages", "cpu", PowerScope::kCpuPackage, "average power"},
    KnownPower{"ramwatt", "", "turbostat", "DRAM", "", PowerScope::kDram, "average power"},
    KnownPower{"syswatt", "", "turbostat", "system", "", PowerScope::kSystem, "average power"},
    KnownPower{"gpu_power", "ane_power", "macmon", "GPU", "mps", PowerScope::kGpuRail, "average power"},
    KnownPower{"cpu_power", "ane_power", "macmon", "CPU", "cpu", PowerScope::kCpuPackage, "average power"},
    KnownPower{"ram_power", "ane_power", "macmon", "DRAM", "", PowerScope::kDram, "average power"},
    KnownPower{"all_power", "ane_power", "macmon", "CPU + GPU + ANE", "", PowerScope::kSoc, "average power"},
    KnownPower{"sys_power", "ane_power", "macmon", "system", "", PowerScope::kSystem, "average power"}};

/// Words of headings about limits and statistics, which are not readings.
constexpr std::array<std::string_view, 14> kNoReading{"limit",  "cap",      "max",      "min",      "peak",
                                                      "target", "state",    "manage",   "default",  "factor",
                                                      "rated",  "apparent", "reactive", "requested"};

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != text.npos; });
}

/// Whether a heading of an unknown tool is about power.
bool is_power(const Heading& heading) {
  const auto is_in = [&](std::string_view word) { return heading.name.find(word) != std::string::npos; };
  if (std::ranges::any_of(kNoReading, is_in)) return false;
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
                         .power_quantity = "power",
                         .is_replayed = true};
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
          .averaging = known.averaging,
          .is_replayed = true};
}

class HeadingReader {
 public:
  HeadingReader(const std::vector<std::string_view>& texts, const std::vector<std::string>& chosen)
      : texts_(texts), chosen_(chosen), headings_(mapped(texts, parse_heading)) {}

  Columns columns() {
    columns_.count = texts_.size();
    find_roles();
    if (chosen_.empty()) {
      find_known_power();
      if (columns_.power.empty()) find_named_power();
      if (columns_.power.empty()) find_gpu_columns();
    } else {
      for (const std::string& text : chosen_) find_chosen(chosen_column(text));
    }
    describe_tool();
    return std::move(columns_);
  }

 private:
  std::optional<std::size_t> find(std::string_view name) const {
    const auto found = std::ranges::find(headings_, name, &Heading::name);
    if (found == headings_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - headings_.begin());
  }

  void find_roles() {
    for (const auto& [role, names] : role_headings()) {
      for (const std::string& name : names) {
        if (!columns_[role]) columns_[role] = find(name);
      }
    }
    // "Date" alone is a whole time stamp; beside "Time" it is the first half of one.
    if (!columns_[ColumnRole::kTime]) std::swap(columns_[ColumnRole::kTime], columns_[ColumnRole::kDate]);
    if (find("pkgwatt")) {
      for (const std::string_view name : {"package", "die", "node", "core", "cpu"}) {
        if (const auto at = find(name)) columns_.topology.push_back(*at);
      }
      columns_[ColumnRole::kHost].reset();
    }
  }

  bool has_power(std::string_view part) const {
    return std::ranges::any_of(columns_.power, [&](const PowerColumn& c) { return c.facts.part == part; });
  }

  void add(std::size_t at, PowerSourceFacts facts) {
    const std::optional<double> unit = watts_per_unit(headings_[at].unit);
    columns_.power.push_back({at, std::move(facts), unit.value_or(1), unit.has_value()});
  }

  bool is_of_tool(const KnownPower& known) const {
    const std::string_view signature = known.signature;
    return signature.empty() || find(signature);
  }

  PowerSourceFacts facts_at(std::size_t at) const {
    for (const KnownPower& known : kKnownPower) {
      if (headings_[at].name == known.heading && is_of_tool(known)) return make_facts(known);
    }
    return facts_of_name(headings_[at]);
  }

  void find_known_power() {
    for (const KnownPower& known : kKnownPower) {
      const auto at = find(known.heading);
      if (!at || has_power(known.part) || !is_of_tool(known)) continue;
      add(*at, make_facts(known));
      columns_.power.back().has_unit = true;
    }
  }

  void find_named_power() {
    for (std::size_t i = 0; i < headings_.size(); ++i) {
      if (is_power(headings_[i])) add(i, facts_of_name(headings_[i]));
    }
  }

  /// "GPU0", "GPU1": watts or a load in percent; which of them the table reader tells by the values.
  void find_gpu_columns() {
    for (std::size_t i = 0; i < headings_.size(); ++i) {
      const bool is_gpu = headings_[i].name.starts_with("gpu") && gpu_index(headings_[i].name);
      if (!is_gpu || !headings_[i].unit.empty()) continue;
      add(i, facts_of_name(headings_[i]));
      columns_.power.back().is_guess = true;
    }
  }

  void find_chosen(const ChosenColumn& chosen) {
    const std::string name = lower(chosen.name);
    for (std::size_t i = 0; i < headings_.size(); ++i) {
      const bool is_it = headings_[i].name == name || lower(trimmed(texts_[i])) == name;
      if (!is_it && std::to_string(i + 1) != chosen.name) continue;
      add(i, facts_at(i));
      columns_.power.back().watts = chosen.watts.value_or(columns_.power.back().watts);
      columns_.power.back().has_unit = true;
      return;
    }
    throw Error(ErrorKind::kUsage, "--power-column '{}': is not in the log, which has {}", chosen.name,
                join(mapped(texts_, [](std::string_view text) { return std::string(trimmed(text)); })));
  }

  /// A meter of mains measures the whole machine.
  void describe_tool() {
    const bool is_plug = find("voltage") && find("current");
    for (PowerColumn& column : columns_.power) {
      if (is_plug && column.facts.scope == PowerScope::kUnknown) column.facts.scope = PowerScope::kSystem;
      const bool is_line_named = columns_[ColumnRole::kGpu] || columns_[ColumnRole::kUuid] ||
                                 columns_[ColumnRole::kBus] || columns_[ColumnRole::kIndex];
      if (is_line_named && column.facts.scope == PowerScope::kUnknown) {
        column.facts.scope = PowerScope::kGpuBoard;
        column.facts.part = "GPU";
      }
      const bool is_node = columns_[ColumnRole::kHost] && column.facts.scope == PowerScope::kUnknown;
      if (is_node) column.facts.scope = PowerScope::kSystem;
    }
  }

  const std::vector<std::string_view>& texts_;
  const std::vector<std::string>& chosen_;
  std::vector<Heading> headings_;
  Columns columns_;
};

}  // namespace

Columns columns_of_headings(const std::vector<std::string_view>& headings,
                            const std::vector<std::string>& chosen) {
  return HeadingReader(headings, chosen).columns();
}

ChosenColumn chosen_column(const std::string& text) {
  ChosenColumn chosen{text, std::nullopt};
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos) {
    chosen.watts = watts_per_unit(text.substr(colon + 1));
    if (chosen.watts) chosen.name = text.substr(0, colon);
  }
  if (!chosen.name.empty()) return chosen;
  throw Error(ErrorKind::kUsage, "--power-column '{}': names no column; write NAME, NAME:W or NAME:mW", text);
}

std::optional<double> watts_per_unit(std::string_view unit) {
  const std::string name = lower(unit);
  if (name == "w" || name == "watt" || name == "watts") return 1;
  if (name == "mw" || name == "milliwatt" || name == "milliwatts") return 1e-3;
  if (name == "kw") return 1e3;
  if (name == "uw" || name == "\xc2\xb5w") return 1e-6;
  return std::nullopt;
}

std::optional<std::int64_t> gpu_index(std::string_view text) {
  if (text.ends_with(']')) text.remove_suffix(1);
  const std::size_t last = text.find_last_not_of("0123456789");
  const std::string_view digits = text.substr(last == std::string_view::npos ? 0 : last + 1);
  const std::string word = lower(text.substr(0, text.size() - digits.size()));
  constexpr std::array<std::string_view, 9> kWords{"",     "gpu",  "gpu ", "gpu_", "gpu-",
                                                   "gpu.", "gpu[", "card", "cuda:"};
  if (digits.empty() || digits.size() > 4 || std::ranges::find(kWords, word) == kWords.end())
    return std::nullopt;
  std::int64_t index = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), index);
  return index;
}

}  // namespace gpubench
