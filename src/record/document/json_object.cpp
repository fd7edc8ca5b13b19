#include "record/document/json_object.h"

#include <cmath>
#include <limits>

namespace gpubench {
namespace {

struct Writer {
  Json operator()(const Absent& /*why*/) const { return nullptr; }
  Json operator()(double number) const { return std::isfinite(number) ? Json(number) : Json(); }
  Json operator()(const std::vector<double>& numbers) const {
    Json list = Json::array();
    for (const double number : numbers) list.push_back((*this)(number));
    return list;
  }
  Json operator()(const std::vector<Phase>& phases) const { return list_of(phase_fields(), phases); }
  Json operator()(const std::vector<Warning>& warnings) const { return list_of(warning_fields(), warnings); }
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

/// Whether all `size` fields of the absence's group are absent for its reason.
bool is_of_all(const Absence& absence, const std::vector<Absence>& absences, std::size_t size) {
  const auto is_same = [&](const Absence& other) {
    return other.group == absence.group && other.reason == absence.reason;
  };
  return static_cast<std::size_t>(std::count_if(absences.begin(), absences.end(), is_same)) == size;
}

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

template <class Record>
std::vector<Record> records_of(const Json& list, const FieldTable<Record>& fields, const std::string& place) {
  std::vector<Record> records;
  for (const Json& item : list) {
    records.push_back(record_of(item, fields, fmt::format("{}[{}]", place, records.size())));
  }
  return records;
}

template <class Predicate>
bool all_are(const Json& items, Predicate is_so) {
  return std::all_of(items.begin(), items.end(), is_so);
}

FieldValue list_value(const Json& list, Kind kind, const std::string& place) {
  if (all_are(list, is_number_or_null)) return numbers_of(list, place);
  if (all_are(list, [](const Json& item) { return item.is_string(); })) {
    return list.get<std::vector<std::string>>();
  }
  if (all_are(list, [](const Json& item) { return item.is_object(); })) {
    if (kind == Kind::kWarnings) return records_of(list, warning_fields(), place);
    return records_of(list, phase_fields(), place);
  }
  refuse(place, "a list of values of one kind is expected");
}

// Up to version 2 of results, reasons of figures that are null stood among them.
bool is_reason(const Json& object, const std::string& key, const Json& value) {
  constexpr std::string_view kSuffix = "_reason";
  return value.is_string() && key.ends_with(kSuffix) &&
         object.contains(key.substr(0, key.size() - kSuffix.size()));
}

}  // namespace

Json json_value(const FieldValue& value) { return std::visit(Writer(), value); }

std::string reason_of(const FieldValue& value) {
  const Absent* why = std::get_if<Absent>(&value);
  return why != nullptr ? why->reason : "not a finite number";
}

Json reasons_json(const std::vector<Absence>& absences,
                  const std::function<std::size_t(const std::string&)>& size_of) {
  Json reasons = Json::object();
  for (const Absence& absence : absences) {
    const bool is_group = !absence.group.empty() && is_of_all(absence, absences, size_of(absence.group));
    reasons[is_group ? absence.group : absence.key] = absence.reason;
  }
  return reasons;
}

void refuse(const std::string& place, const std::string& what) {
  throw Error(ErrorKind::kData, place + ": " + what);
}

std::string inside(const std::string& where, const std::string& key) {
  return where.empty() ? key : where + "." + key;
}

void require_object(const Json& value, const std::string& place) {
  if (!value.is_object()) refuse(place, "an object is expected");
}

void require_version(const Json& document, std::int64_t newest) {
  const std::string key = "schema_version";
  if (!document.contains(key)) {
    refuse(key, "is missing, so this is no document of gpubench; name a file that gpubench wrote");
  }
  const Json& version = document.at(key);
  if (version.is_number_integer() && version >= 1 && version <= newest) return;
  refuse(key,
         fmt::format("{} is unknown, 1 to {} are expected; read the file with the gpubench that wrote it, "
                     "or with a newer one",
                     json_text(version), newest));
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

Reasons::Reasons(const Json& object) : object_(object), absent_(object.find(kAbsentKey)) {
  if (absent_ != object.end() && !absent_->is_object()) absent_ = object.end();
}

std::string Reasons::of(Json::const_iterator member, const std::string& group) const {
  const auto text_at = [](const Json& reasons, const std::string& key) -> const std::string* {
    const auto reason = reasons.find(key);
    return reason != reasons.end() && reason->is_string() ? &reason->get_ref<const std::string&>() : nullptr;
  };
  const std::string* reason = nullptr;
  if (absent_ != object_.end()) {
    reason = text_at(*absent_, member.key());
    if (reason == nullptr && !group.empty()) reason = text_at(*absent_, group);
  } else {
    // Up to version 2 of results, and in version 1 of tables of operations; nearly always the next member.
    const std::string key = member.key() + "_reason";
    const auto next = std::next(member);
    const bool is_next = next != object_.end() && next.key() == key && next->is_string();
    reason = is_next ? &next->get_ref<const std::string&>() : text_at(object_, key);
  }
  return reason != nullptr ? *reason : "no reason is given";
}

FieldValue field_value_of(const Json& value, Kind kind, const std::string& place) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_float()) return value.get<double>();
  if (value.is_number()) return whole_number_of(value);
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) return list_value(value, kind, place);
  return object_value(value, place);
}

}  // namespace gpubench
