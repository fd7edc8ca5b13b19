#include "record/document/json_object.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

struct Writer {
  Json operator()(const Missing& /*why*/) const { return nullptr; }
  Json operator()(double number) const { return std::isfinite(number) ? Json(number) : Json(); }
  Json operator()(const std::vector<double>& numbers) const {
    Json list = Json::array();
    for (const double number : numbers) list.push_back((*this)(number));
    return list;
  }
  Json operator()(const std::vector<Phase>& phases) const { return make_list(phase_fields(), phases); }
  Json operator()(const std::vector<Warning>& warnings) const {
    return make_list(warning_fields(), warnings);
  }
  Json operator()(const NamedValues& values) const { return named(values); }
  Json operator()(const NamedSeries& series) const { return named(series); }
  template <class T>
  Json operator()(const T& value) const {
    return value;
  }

  template <class Named>
  Json named(const Named& items) const {
    Json object = Json::object();
    for (const auto& [name, value] : items) object[name] = (*this)(value);
    return object;
  }
};

/// Why a value is null; nothing where it is not.
std::optional<std::string> why_null(const FieldValue& value) {
  if (const Missing* why = std::get_if<Missing>(&value)) return why->reason;
  const double* number = std::get_if<double>(&value);
  if (number != nullptr && !std::isfinite(*number)) return "not a finite number";
  return std::nullopt;
}

using Reason = std::optional<std::string>;

/// Groups whose fields are all null for one reason, and that.
std::map<std::string_view, Reason> common_reasons(const std::vector<Member>& members,
                                                  const std::vector<Reason>& reasons) {
  std::map<std::string_view, Reason> common;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Reason reason = members[i].is_written ? reasons[i] : std::nullopt;
    const auto [known, is_new] = common.emplace(members[i].field->group, reason);
    if (!is_new && known->second != reason) known->second = std::nullopt;
  }
  common.erase("");
  return common;
}

bool is_number_or_null(const Json& value) { return value.is_number() || value.is_null(); }

double read_number(const Json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

FieldValue make_whole_number(const Json& value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool is_too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > kMost;
  // No field holds such a number, but as a double it is refused by name and not by overflow.
  if (is_too_large) return value.get<double>();
  return value.get<std::int64_t>();
}

constexpr std::size_t kMostNumbers = 100'000;  // In a list: epochs, at most.

std::vector<double> make_numbers(const Json& list, const std::string& place) {
  if (list.size() > kMostNumbers) refuse(place, "has too many values");
  return mapped(list, read_number);
}

FieldValue list_value(const Json& list, Kind kind, const std::string& place) {
  if (std::ranges::all_of(list, is_number_or_null)) return make_numbers(list, place);
  if (std::ranges::all_of(list, &Json::is_string)) return list.get<std::vector<std::string>>();
  if (std::ranges::all_of(list, &Json::is_object)) {
    if (kind == Kind::kWarnings) return make_records(list, warning_fields(), place);
    return make_records(list, phase_fields(), place);
  }
  refuse(place, "a list of values of one kind is expected");
}

}  // namespace

Json json_value(const FieldValue& value) { return std::visit(Writer(), value); }

Json make_object(const std::vector<Member>& members) {
  const std::vector<Reason> whys =
      mapped(members, [](const Member& member) { return why_null(member.value); });
  const std::map<std::string_view, Reason> common = common_reasons(members, whys);
  Json object = Json::object();
  Json reasons = Json::object();
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& [field, value, is_written] = members[i];
    if (!is_written) continue;
    add_member(object, field->key, json_value(value));
    if (!whys[i]) continue;
    const auto of_group = common.find(field->group);
    const bool is_common = of_group != common.end() && of_group->second;
    reasons[is_common ? field->group : field->key] = *whys[i];
  }
  if (!reasons.empty()) add_member(object, kAbsentKey, std::move(reasons));
  return object;
}

void refuse(const std::string& place, const std::string& what) {
  throw Error(ErrorKind::kData, place + ": " + what);
}

std::string inside(const std::string& where, const std::string& key) { return where + "." + key; }

void require_object(const Json& value, const std::string& place) {
  if (!value.is_object()) refuse(place, "an object is expected");
}

void require_version(const Json& document, std::int64_t version) {
  const std::string key = "schema_version";
  if (!document.contains(key)) {
    refuse(key, "is missing, so this is no document of gpubench; name a file that gpubench wrote");
  }
  const Json& found = document.at(key);
  if (found.is_number_integer() && found == version) return;
  refuse(key,
         fmt::format("found {}, but this gpubench reads {} only; use the gpubench that wrote the file, or "
                     "measure again",
                     json_text(found), version));
}

FieldValue object_value(const Json& object, const std::string& place) {
  NamedValues values;
  NamedSeries series;
  for (const auto& [name, item] : object.items()) {
    if (is_number_or_null(item)) {
      values.emplace_back(name, read_number(item));
    } else if (item.is_array() && std::ranges::all_of(item, is_number_or_null)) {
      series.emplace_back(name, make_numbers(item, place));
    } else {
      refuse(inside(place, name), "a number or a list of numbers is expected");
    }
  }
  if (series.empty()) return values;
  if (values.empty()) return series;
  refuse(place, "an object of values of one kind is expected");
}

std::string find_reason(Json::const_iterator member, const std::string& group, const Json& object,
                        Json::const_iterator absent) {
  constexpr const char* kNone = "no reason is given";
  if (absent == object.end() || !absent->is_object()) return kNone;
  auto reason = absent->find(member.key());
  const auto is_text = [&] { return reason != absent->end() && reason->is_string(); };
  if (!is_text() && !group.empty()) reason = absent->find(group);
  return is_text() ? reason->get<std::string>() : kNone;
}

FieldValue make_field_value(const Json& value, Kind kind, const std::string& place) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_float()) return value.get<double>();
  if (value.is_number()) return make_whole_number(value);
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) return list_value(value, kind, place);
  return object_value(value, place);
}

}  // namespace gpubench
