#include "power/log/log_format.h"

#include <algorithm>
#include <map>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"
#include "power/log/values.h"

namespace gpubench {
namespace {

/// A role in descriptions, and the regular expression of its placeholder with the number of groups.
struct RoleName {
  std::string_view name;
  LogRole role;
  const char* expression = "([-_:.[:alnum:]]+)";
  std::size_t groups = 1;
};

constexpr RoleName kRoles[] = {
    {"time", LogRole::kTime, "(.+)"},
    {"power", LogRole::kPower,
     "(\\[[^]]*]|N/A|[-+]?[0-9]*[.]?[0-9]+([eE][-+]?[0-9]+)?[[:blank:]]*[A-Za-z]*|nan|inf)", 2},
    {"device", LogRole::kDevice, "([0-9]+)"},
    {"uuid", LogRole::kUuid},
    {"pci", LogRole::kPci, "([[:xdigit:]]+:[[:xdigit:]]+:[[:xdigit:].]+)"},
    {"name", LogRole::kName},
    {"host", LogRole::kHost},
    {"part", LogRole::kPart, "([^[:blank:]]+)"},
    {"temperature", LogRole::kTemperature},
    {"clock", LogRole::kClock},
    {"limit", LogRole::kLimit, "([0-9.]+[[:blank:]]*[A-Za-z]*|N/A|\\[[^]]*])"},
    {"elapsed", LogRole::kElapsed},
    {"where", LogRole::kWhere},
    {"mean", LogRole::kWhere, "([0-9]+(mW)?([[:blank:]]|$))", 3}};

constexpr std::size_t kMostGroups = 24;  // Groups of a regular expression.

const RoleName* find_role(std::string_view name) {
  const auto* const found = std::ranges::find(kRoles, name, &RoleName::name);
  return found == std::end(kRoles) ? nullptr : found;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != text.npos; });
}

/// Returns the length of "{power:W>GPU}" or "{*}" at the start of a text; 0 for a brace of the log itself.
std::size_t placeholder_length(std::string_view text) {
  if (text.starts_with("{*}")) return 3;
  const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz", 1);
  const bool is_one = text.starts_with('{') && end > 1 && has_any(text.substr(end, 1), {":", ">", "}"});
  return is_one && text.find('}') != text.npos ? text.find('}') + 1 : 0;
}

/// Sets the detail of a field; of a power from "W>GPU,gpu-rail,mps,1s": unit, part, scope, device, averaging
/// time.
void set_detail(std::string_view text, LogField& field) {
  const std::size_t arrow = field.role == LogRole::kPower ? text.find('>') : text.npos;
  field.detail = text.substr(0, arrow);
  if (field.role == LogRole::kWhere) field.condition = Pattern(text);
  if (arrow == text.npos) return;
  const std::vector<std::string_view> words = split_fields(text.substr(arrow + 1), ',');
  field.facts.part = words[0];
  if (words.size() > 1) field.facts.scope = value_named<PowerScope>(std::string(words[1]));
  if (words.size() > 2) field.facts.device = words[2];
  if (words.size() > 3) field.facts.averaging = parse_duration(std::string(words[3]), "averaging");
}

/// Adds the fields of "PLACE:DETAIL". A place of a power may itself have colons.
void add_fields(LogRole role, std::string_view text, LogFormat& format) {
  std::size_t colon = role == LogRole::kWhere ? text.find(':') : text.npos;
  if (role == LogRole::kTime) colon = std::min(text.find(":%"), text.find(":unix"));
  if (role == LogRole::kPower) {
    const std::string_view place = text.substr(0, text.find('>'));
    const bool has_unit = place.size() < text.size() || watts_per_unit(place.substr(place.rfind(':') + 1));
    if (has_unit) colon = place.rfind(':');
  }
  const std::string_view detail = colon < text.size() ? text.substr(colon + 1) : "";
  // A date and a time in two columns are two fields.
  for (const std::string_view place :
       split_fields(text.substr(0, colon), role == LogRole::kTime ? '+' : '\0'))
    set_detail(detail, format.fields.emplace_back(LogField{role, std::string(place)}));
}

void add_line(std::string_view text, LogFormat& format) {
  format.lines.emplace_back(text);
  for (const std::string_view placeholder : format.lines.back().placeholders()) {
    const std::size_t end = std::min(placeholder.find_first_of(":>"), placeholder.size());
    LogField& field = format.fields.emplace_back(LogField{find_role(placeholder.substr(0, end))->role});
    set_detail(placeholder.substr(placeholder.substr(end).starts_with(':') ? end + 1 : end), field);
  }
}

/// Position of the next "KEY=" of a description, and the key.
std::pair<std::size_t, std::string_view> find_key(std::string_view text, std::size_t from, bool is_of_tool) {
  for (std::size_t at = from; at < text.size(); ++at) {
    const std::string_view key = text.substr(at, std::min(text.find('=', at), text.size()) - at);
    const bool is_key = find_role(key) || key == "line" ||
                        (is_of_tool && (key == "has" || key == "begins" || key == "wide" || key == "refuse"));
    if (is_key && (at == 0 || text[at - 1] == ' ')) return {at, key};
  }
  return {text.size(), ""};
}

void set_key(std::string_view key, const std::string& value, LogFormat& format) {
  if (key == "has")
    format.signature.push_back(value);
  else if (key == "begins")
    format.begin = Pattern(value);
  else if (key == "wide")
    format.wide = value;
  else if (key == "refuse")
    format.refusal = value;
  else if (key == "line")
    add_line(value, format);
  else
    add_fields(find_role(key)->role, value, format);
}

/// Headings of columns that tell devices apart, in tables of unknown tools.
const std::map<std::string_view, LogRole>& device_headings() {
  static const std::map<std::string_view, LogRole> all{
      {"index", LogRole::kDevice},    {"gpu", LogRole::kDevice},       {"gpu_id", LogRole::kDevice},
      {"gpu id", LogRole::kDevice},   {"gpu_index", LogRole::kDevice}, {"gpu index", LogRole::kDevice},
      {"gpuid", LogRole::kDevice},    {"device", LogRole::kDevice},    {"device_id", LogRole::kDevice},
      {"deviceid", LogRole::kDevice}, {"card", LogRole::kDevice},      {"minor_number", LogRole::kDevice},
      {"uuid", LogRole::kUuid},       {"gpu_uuid", LogRole::kUuid},    {"gpu uuid", LogRole::kUuid},
      {"pci.bus_id", LogRole::kPci},  {"gpu_bus_id", LogRole::kPci},   {"bdf", LogRole::kPci},
      {"gpu_bdf", LogRole::kPci},     {"pci bus", LogRole::kPci},      {"name", LogRole::kName},
      {"gpu_name", LogRole::kName},   {"gpu name", LogRole::kName},    {"device name", LogRole::kName},
      {"host", LogRole::kHost},       {"hostname", LogRole::kHost},    {"node", LogRole::kHost},
      {"nodename", LogRole::kHost},   {"node_name", LogRole::kHost},   {"server", LogRole::kHost}};
  return all;
}

/// Returns true for a time. A number is one only if its heading says so, since many numbers could be.
bool is_time(const LogColumn& column) {
  const bool is_named = has_any(column.heading.name, {"time", "date", "stamp", "created", "epoch", "zeit"}) ||
                        column.heading.name == "ts" || column.heading.text.empty();
  return (is_named || !parse_decimal(column.value)) && parse_stamp(column.value).has_value();
}

/// Returns the unit of a power; empty for other columns. Limits and statistics are not readings.
std::string_view find_unit(const LogColumn& column) {
  const Heading& heading = column.heading;
  if (has_any(heading.name, {"limit", "cap", "max", "min", "peak", "target", "state", "manage", "default",
                             "factor", "rated", "apparent", "reactive", "requested", "norm"}))
    return "";
  if (watts_per_unit(heading.unit)) return heading.unit;
  const std::string_view unit = amount_in(column.value).unit;
  return heading.unit.empty() && parse_watts(column.value) ? unit : "";
}

/// Returns the facts that a heading and the other columns suggest.
PowerSourceFacts make_facts(const Heading& heading, bool is_system, bool has_device) {
  PowerSourceFacts facts{.part = heading.text.empty() ? "power" : heading.text,
                         .scope = scope_of_name(heading.name)};
  if (facts.scope == PowerScope::kUnknown && is_system) facts.scope = PowerScope::kSystem;
  if (facts.scope == PowerScope::kUnknown && has_device) facts.scope = PowerScope::kGpuBoard;
  if (facts.scope != PowerScope::kGpuBoard) return facts;
  std::string_view name = std::string_view(heading.name).substr(heading.name.rfind('/') + 1);
  for (const std::string_view word : {"_power", " power", ".power", "_draw"})
    if (name.ends_with(word)) name.remove_suffix(word.size());
  if (!name.empty()) facts.gpu.index = gpu_index(name);
  facts.part = facts.gpu.index ? "GPU " + std::to_string(*facts.gpu.index) : "GPU";
  return facts;
}

}  // namespace

Pattern::Pattern(std::string_view text)
    : is_bare_(placeholder_length(text) == text.size()), is_repeated_(text.starts_with('&')) {
  std::string expression = is_repeated_ ? "(^|[[:blank:]])" : "^[[:blank:]]*";
  std::size_t groups = is_repeated_ ? 1 : 0;
  for (std::size_t i = is_repeated_ ? 1 : 0; i < text.size(); ++i) {
    const std::string_view found = text.substr(i, placeholder_length(text.substr(i)));
    if (found == "{*}") {
      expression += ".*";
    } else if (!found.empty()) {
      const std::string_view inner = found.substr(1, found.size() - 2);
      const RoleName* const role = find_role(inner.substr(0, inner.find_first_of(":>")));
      require(role != nullptr, "--log-format '{}': '{}' is unknown; use {{time}}, {{power:W}}, {{device}}",
              text, found);
      placeholders_.emplace_back(inner);
      groups_.push_back(groups + 1);
      groups += role->groups;
      require(groups < kMostGroups, "--log-format '{}': more than {} placeholders; use fewer", text,
              kMostGroups / 2);
      expression += role->expression;
    } else if (text[i] == ' ') {
      expression += "[[:blank:]]+";
    } else {
      if (std::string_view(".[]()*+?^$|\\{}").find(text[i]) != std::string_view::npos) expression += '\\';
      expression += text[i];
    }
    if (!found.empty()) i += found.size() - 1;
  }
  if (!is_repeated_) expression += "[[:blank:]]*$";
  regex_ = std::shared_ptr<regex_t>(new regex_t{}, [](regex_t* regex) {
    regfree(regex);
    delete regex;
  });
  require(regcomp(regex_.get(), expression.c_str(), REG_EXTENDED | REG_ICASE) == 0,
          "--log-format '{}': not a pattern; write text and {{time}}, {{power:W}}", text);
}

std::optional<std::vector<std::string_view>> Pattern::match(std::string_view text, std::size_t* end) const {
  constexpr std::size_t kLongest = 4096;  // Patterns of longer lines would be slow.
  regmatch_t found[kMostGroups] = {{0, static_cast<regoff_t>(text.size())}};
  if (text.size() > kLongest ||
      regexec(regex_.get(), text.data(), std::size(found), found, REG_STARTEND) != 0)
    return std::nullopt;
  std::vector<std::string_view> texts;
  for (const std::size_t group : groups_) {
    const auto begin = static_cast<std::size_t>(std::max<regoff_t>(found[group].rm_so, 0));
    texts.push_back(trimmed(text.substr(begin, static_cast<std::size_t>(found[group].rm_eo) - begin)));
  }
  if (end != nullptr) *end = static_cast<std::size_t>(found[0].rm_eo);
  return texts;
}

LogFormat parse_log_format(const std::string& text, const std::string& option, bool is_of_tool) {
  LogFormat format;
  auto [at, key] = find_key(text, 0, is_of_tool);
  require(at == 0, "{} '{}': begins with no key; write time=COLUMN power=COLUMN:W", option, text);
  while (at < text.size()) {
    const std::size_t begin = at + key.size() + 1;
    const auto next =
        key == "refuse" ? std::pair(text.size(), std::string_view()) : find_key(text, begin, is_of_tool);
    const std::string value(trimmed(std::string_view(text).substr(begin, next.first - begin)));
    require(!value.empty(), "{}: {}= has no value; write time=COLUMN power=COLUMN:W", option, key);
    set_key(key, value, format);
    std::tie(at, key) = next;
  }
  const auto has = [&](LogRole role) { return std::ranges::count(format.fields, role, &LogField::role) > 0; };
  require(!format.refusal.empty() || (has(LogRole::kTime) && has(LogRole::kPower)),
          "{} '{}': needs a time and a power; write time=COLUMN power=COLUMN:W", option, text);
  return format;
}

PowerScope scope_of_name(std::string_view written, bool is_rail) {
  const std::string name = lower(written);
  if (has_any(name, {"gpu", "board", "card"})) {
    if (!is_rail) return PowerScope::kGpuBoard;
    return has_any(name, {"cpu"}) ? PowerScope::kSoc : PowerScope::kGpuRail;
  }
  if (has_any(name, {"cpu", "package", "pkg", "socket"})) return PowerScope::kCpuPackage;
  if (has_any(name, {"dram", "memory", "ddr"})) return PowerScope::kDram;
  const bool is_system =
      is_rail ? name == "vdd_in" || name == "pom_5v_in" || has_any(name, {"tot"})
              : has_any(name, {"system", "chassis", "node", "wall", "plug", "mains", "psu", "total", "host"});
  return is_system ? PowerScope::kSystem : PowerScope::kUnknown;
}

Heading parse_heading(std::string_view written) {
  const std::string_view text =
      trimmed(written.substr(std::min(written.find_first_not_of("#_ "), written.size())));
  const std::size_t open = text.find_last_of("[(");
  if (open != text.npos && (text.ends_with(']') || text.ends_with(')'))) {
    const std::string_view title = trimmed(text.substr(0, open));
    return {lower(title), std::string(title),
            std::string(trimmed(text.substr(open + 1, text.size() - open - 2)))};
  }
  Heading heading{lower(text), std::string(text)};
  const std::string_view unit = unit_at_end(heading.name);
  std::string_view name = std::string_view(heading.name).substr(0, heading.name.size() - unit.size());
  const bool is_separated = name.ends_with('_') || name.ends_with(' ');
  // "power_mw", "Watts", and "powerWatts" of Weights & Biases.
  if (unit.empty() || (!name.empty() && !is_separated && !unit.ends_with("watts"))) return heading;
  if (is_separated) name.remove_suffix(1);
  return {std::string(name.empty() ? heading.name : name), heading.text, std::string(unit)};
}

bool is_place(std::string_view place, const Heading& heading, std::string& captured) {
  if (place.find('{') == place.npos)
    return heading.name == parse_heading(place).name || lower(heading.text) == lower(place);
  const auto found = Pattern(place).match(heading.text);
  if (found && !found->empty()) captured = found->front();
  return found.has_value();
}

std::vector<std::string> list_alternatives(const std::string& place) {
  const std::vector<std::string_view> all = split_fields(place, '|');
  return {all.begin(), all.end()};
}

Measured<LogFormat> infer_format(const std::vector<LogColumn>& columns) {
  LogFormat format{.name = "table"};
  const auto list = [&](std::vector<LogColumn> some) {
    constexpr std::size_t kMostShown = 12;
    if (some.size() > kMostShown) some.resize(kMostShown);
    return join(mapped(some, [](const LogColumn& one) {
      return one.heading.text.empty() ? std::string(one.value) : one.heading.text;
    }));
  };
  const auto find = [&](std::string_view name) {
    return std::ranges::find(columns, name, [](const LogColumn& one) { return one.heading.name; });
  };
  const auto first_time = std::ranges::find_if(columns, is_time);
  const auto timestamp = find("timestamp");
  const bool is_split = find("date") != columns.end() && find("time") != columns.end();
  if (is_split && parse_stamp(fmt::format("{} {}", find("date")->value, find("time")->value)).has_value()) {
    format.fields = {{LogRole::kTime, find("date")->place}, {LogRole::kTime, find("time")->place}};
  } else if (first_time != columns.end()) {
    const bool is_best = timestamp != columns.end() && is_time(*timestamp);
    format.fields = {{LogRole::kTime, (is_best ? timestamp : first_time)->place}};
  } else {
    return missing("no column has a date and a time ({}): '{}' {}", list(columns), columns.front().value,
                   parse_stamp(columns.front().value).reason());
  }
  std::vector<LogColumn> powers;
  for (const LogColumn& column : columns)
    if (!find_unit(column).empty()) powers.push_back(column);
  if (powers.empty()) return missing("no column has a power with its unit ({})", list(columns));
  if (powers.size() > 1) return missing("{} columns may be the power ({})", powers.size(), list(powers));
  const auto has = [&](LogRole role) { return std::ranges::count(format.fields, role, &LogField::role) > 0; };
  for (const LogColumn& column : columns) {
    const auto known = device_headings().find(column.heading.name);
    const bool is_small =
        column.heading.text.empty() && column.value.size() <= 2 && parse_whole(column.value);
    if (known != device_headings().end() && !has(known->second))
      format.fields.push_back({.role = known->second, .place = column.place, .is_guess = true});
    else if (column.value.starts_with("GPU-") && !has(LogRole::kUuid))
      format.fields.push_back({LogRole::kUuid, column.place});
    else if (is_small && !has(LogRole::kDevice))  // Perhaps the index of a GPU; the readings decide.
      format.fields.push_back({.role = LogRole::kDevice, .place = column.place, .is_guess = true});
  }
  // Without headings, only nvidia-smi writes dates such as 2026/03/01.
  const bool is_nvidia = first_time != columns.end() && first_time->heading.text.empty() &&
                         first_time->value.find('/') != std::string_view::npos;
  const bool has_device = is_nvidia || has(LogRole::kDevice) || has(LogRole::kUuid) || has(LogRole::kPci);
  const bool is_plug = find("voltage") != columns.end() && find("current") != columns.end();
  LogField power{LogRole::kPower, powers.front().place, powers.front().heading.unit};
  power.facts =
      make_facts(powers.front().heading, is_plug || (has(LogRole::kHost) && !has_device), has_device);
  format.fields.push_back(std::move(power));
  return format;
}

}  // namespace gpubench
