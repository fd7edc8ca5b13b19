#include "report/json_value.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "report/record_of.h"

namespace gpubench {
namespace {

bool is_number_or_null(const Json& value) { return value.is_number() || value.is_null(); }

double number_of(const Json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

FieldValue whole_number_of(const Json& value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool is_too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > kMost;
  // No field holds such a number, but as a double it is refused by name and not by overflow.
  if (is_too_large) return value.get<double>();
  return value.get<std::int64_t>();
}

constexpr std::size_t kMostNumbers = 100'000;  // In a list: epochs, at most.

std::vector<double> numbers_of(const Json& list, const std::string& place) {
  if (list.size() > kMostNumbers) refuse(place, "has too many values");
  std::vector<double> numbers;
  numbers.reserve(list.size());
  for (const Json& item : list) numbers.push_back(number_of(item));
  return numbers;
}

/// Of the member that is null. Nearly always the next one, as gpubench writes it.
std::string reason_beside(const Json& object, Json::const_iterator member) {
  const std::string key = member.key() + "_reason";
  auto reason = std::next(member);
  if (reason == object.end() || reason.key() != key) reason = object.find(key);
  const bool is_told = reason != object.end() && reason->is_string();
  return is_told ? reason->get<std::string>() : "no reason is given";
}

/// The only lists of objects that are the value of a field.
std::vector<Phase> phases_of(const Json& list, const std::string& place) {
  std::vector<Phase> phases;
  for (const Json& item : list) {
    phases.push_back(record_of(item, phase_fields(), fmt::format("{}[{}]", place, phases.size())));
  }
  return phases;
}

template <class Predicate>
bool all_are(const Json& items, Predicate is_so) {
  return std::all_of(items.begin(), items.end(), is_so);
}

FieldValue list_value(const Json& list, const std::string& place) {
  if (all_are(list, is_number_or_null)) return numbers_of(list, place);
  if (all_are(list, [](const Json& item) { return item.is_string(); })) {
    return list.get<std::vector<std::string>>();
  }
  if (all_are(list, [](const Json& item) { return item.is_object(); })) {
    return phases_of(list, place);
  }
  refuse(place, "a list of values of one kind is expected");
}

// Reasons of figures that are null are no figures.
bool is_reason(const Json& object, const std::string& key, const Json& value) {
  constexpr std::string_view kSuffix = "_reason";
  return value.is_string() && key.ends_with(kSuffix) &&
         object.contains(key.substr(0, key.size() - kSuffix.size()));
}

}  // namespace

void refuse(const std::string& place, const std::string& what) {
  throw Error(ErrorKind::kData, place + ": " + what);
}

std::string inside(const std::string& where, const std::string& key) {
  return where.empty() ? key : where + "." + key;
}

void require_object(const Json& value, const std::string& place) {
  if (!value.is_object()) refuse(place, "an object is expected");
}

FieldValue object_value(const Json& object, const std::string& place) {
  NamedValues values;
  NamedSeries series;
  for (const auto& [name, item] : object.items()) {
    if (is_reason(object, name, item)) continue;
    if (is_number_or_null(item)) {
      values.emplace_back(name, number_of(item));
    } else if (item.is_array() && all_are(item, is_number_or_null)) {
      series.emplace_back(name, numbers_of(item, place));
    } else {
      refuse(inside(place, name), "a number or a list of numbers is expected");
    }
  }
  if (series.empty()) return values;
  if (values.empty()) return series;
  refuse(place, "an object of values of one kind is expected");
}

FieldValue field_value_of(const Json& object, Json::const_iterator member, const std::string& where) {
  const Json& value = *member;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_float()) return value.get<double>();
  if (value.is_number()) return whole_number_of(value);
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) return list_value(value, inside(where, member.key()));
  if (value.is_object()) return object_value(value, inside(where, member.key()));
  return absent(reason_beside(object, member));
}

}  // namespace gpubench
