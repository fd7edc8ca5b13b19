#include "record/document/json_object.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

struct Writer {
  Json operator()(const Missing& /*why*/) const { return nullptr; }
  Json operator()(double number) const { return std::isfinite(number) ? Json(number) : Json(); }
  Json operator()(const Phase& phase) const { return make_object(phase_fields(), phase); }
  Json operator()(const Warning& warning) const { return make_object(warning_fields(), warning); }
  template <class T>
  Json operator()(const std::vector<T>& items) const {
    Json list = Json::array();
    for (const T& item : items) list.push_back((*this)(item));
    return list;
  }
  template <class T>
  Json operator()(const std::vector<std::pair<std::string, T>>& named) const {
    Json object = Json::object();
    for (const auto& [name, value] : named) object[name] = (*this)(value);
    return object;
  }
  template <class T>
  Json operator()(const T& value) const {
    return value;
  }
};

/// Returns the reason for a null value.
std::optional<std::string> why_null(const FieldValue& value) {
  if (const Missing* why = std::get_if<Missing>(&value)) return why->reason;
  const double* number = std::get_if<double>(&value);
  if (number != nullptr && !std::isfinite(*number)) return "not a finite number";
  return std::nullopt;
}

/// Returns the reasons of null members by key, or by group if all members of the group share a reason.
Json make_reasons(const std::vector<Member>& members) {
  std::map<std::string_view, std::set<std::optional<std::string>>> by_group;
  for (const Member& member : members) by_group[member.field->group].insert(why_null(member.value));
  Json reasons = Json::object();
  for (const Member& member : members) {
    const std::optional<std::string> why = why_null(member.value);
    if (!why) continue;
    const FieldFacts& field = *member.field;
    const bool is_common = !field.group.empty() && by_group[field.group].size() == 1;
    reasons[is_common ? field.group : field.key] = *why;
  }
  return reasons;
}

bool is_number_or_null(const Json& value) { return value.is_number() || value.is_null(); }

bool is_whole_number(const Json& value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool is_too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > kMost;
  return value.is_number_integer() && !is_too_large;
}

double number_or_nan(const Json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

void require_list(const Json& list, const std::string& place, bool (*is_one)(const Json&), const char* what) {
  if (!list.is_array() || !std::ranges::all_of(list, is_one))
    refuse(place, fmt::format("expected a list of {}", what));
}

std::vector<double> read_numbers(const Json& list, const std::string& place) {
  require_list(list, place, is_number_or_null, "numbers");
  return mapped(list, number_or_nan);
}

double read_number(const Json& value, const std::string& place) {
  if (!is_number_or_null(value)) refuse(place, "expected a number");
  return number_or_nan(value);
}

template <class T>
std::vector<std::pair<std::string, T>> read_named(const Json& object, const std::string& place,
                                                  T (*read)(const Json&, const std::string&)) {
  require_object(object, place);
  std::vector<std::pair<std::string, T>> named;
  for (const auto& [name, item] : object.items()) named.emplace_back(name, read(item, inside(place, name)));
  return named;
}

}  // namespace

Json json_value(const FieldValue& value) { return std::visit(Writer(), value); }

Json make_object(const std::vector<Member>& members) {
  std::array<Json, kSectionNames.size()> parts;
  parts.fill(Json::object());
  for (const Member& member : members) {
    Json& part = parts[static_cast<std::size_t>(member.field->section)];
    list_members(part).emplace_back(member.field->key, json_value(member.value));
  }
  Json object = std::move(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (!parts[i].empty()) list_members(object).emplace_back(kSectionNames[i], std::move(parts[i]));
  }
  Json reasons = make_reasons(members);
  if (!reasons.empty()) list_members(object).emplace_back(kMissingKey, std::move(reasons));
  return object;
}

void refuse(const std::string& place, const std::string& what) {
  throw Error(ErrorKind::kData, place + ": " + what);
}

std::string inside(const std::string& where, const std::string& key) {
  return where.empty() ? key : where + "." + key;
}

void require_object(const Json& value, const std::string& place) {
  if (!value.is_object()) refuse(place, "expected an object");
}

std::string find_reason(const FieldFacts& field, const Json& object) {
  const auto reasons = object.find(kMissingKey);
  if (reasons == object.end()) return kNoReason;
  for (const std::string& name : {field.key, field.group}) {
    const auto reason = reasons->find(name);
    if (reason != reasons->end() && reason->is_string()) return reason->get<std::string>();
  }
  return kNoReason;
}

FieldValue make_field_value(const Json& value, Kind kind, const std::string& place) {
  switch (kind) {
    case Kind::kBoolean:
      if (!value.is_boolean()) refuse(place, "expected true or false");
      return value.get<bool>();
    case Kind::kWholeNumber:
      if (!is_whole_number(value))
        refuse(place, value.is_number() ? "expected a whole number" : "expected a number");
      return value.get<std::int64_t>();
    case Kind::kNumber:
      return read_number(value, place);
    case Kind::kText:
      if (!value.is_string()) refuse(place, "expected text");
      return value.get<std::string>();
    case Kind::kNumbers:
      return read_numbers(value, place);
    case Kind::kWholeNumbers:
      require_list(value, place, is_whole_number, "whole numbers");
      return value.get<std::vector<std::int64_t>>();
    case Kind::kTexts:
      require_list(
          value, place, [](const Json& item) { return item.is_string(); }, "texts");
      return value.get<std::vector<std::string>>();
    case Kind::kPhases:
      return make_records(value, phase_fields(), place);
    case Kind::kWarnings:
      return make_records(value, warning_fields(), place);
    case Kind::kNamedValues:
      return read_named(value, place, read_number);
    case Kind::kNamedSeries:
      return read_named(value, place, read_numbers);
  }
  return missing("unknown kind");
}

}  // namespace gpubench
