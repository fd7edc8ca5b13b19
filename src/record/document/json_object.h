#pragma once
// Objects from records, by their field tables.

#include <algorithm>
#include <string>
#include <vector>

#include "gpubench/record/field_table.h"
#include "record/document/json.h"

namespace gpubench {

/// Of an object whose values are partly null: why, by key, or by group where no field of that has a value.
inline constexpr const char* kAbsentKey = "absent";

/// A field whose value is null.
struct Absence {
  std::string key;
  std::string group;
  std::string reason;
};

/// JSON has no NaN and no infinity: such a number is null, as what is absent.
Json json_value(const FieldValue& value);

/// Why json_value() is null.
std::string reason_of(const FieldValue& value);

/// The reasons, by `size_of(group)` fields that each group has.
Json reasons_json(const std::vector<Absence>& absences,
                  const std::function<std::size_t(const std::string&)>& size_of);

/// Adds those fields of which `is_told(field)` says so.
template <class Record, class IsTold>
void put_fields(Json& object, const FieldTable<Record>& fields, const Record& record, IsTold is_told) {
  std::vector<Absence> absences;
  for (const Field<Record>& field : fields) {
    if (!is_told(field)) continue;
    const FieldValue value = field.get(record);
    Json& written = object[field.key] = json_value(value);
    if (written.is_null()) absences.push_back({field.key, field.group, reason_of(value)});
  }
  if (absences.empty()) return;
  object[kAbsentKey] = reasons_json(absences, [&](const std::string& group) {
    return static_cast<std::size_t>(std::count_if(
        fields.begin(), fields.end(), [&](const Field<Record>& field) { return field.group == group; }));
  });
}

template <class Record>
Json object_of(const FieldTable<Record>& fields, const Record& record) {
  Json object = Json::object();
  put_fields(object, fields, record, [](const Field<Record>& /*field*/) { return true; });
  return object;
}

/// Of what a publication does not tell there is no key: its default would read as a figure.
template <class Record>
Json told_object(const FieldTable<Record>& fields, const Record& record) {
  const Record untold;
  Json object = Json::object();
  put_fields(object, fields, record, [&](const Field<Record>& field) {
    const bool is_always = field.presence == Presence::kAlways;
    return field.set && (is_always || field.get(record) != field.get(untold));
  });
  return object;
}

template <class Record>
Json list_of(const FieldTable<Record>& fields, const std::vector<Record>& records) {
  Json list = Json::array();
  for (const Record& record : records) list.push_back(object_of(fields, record));
  return list;
}

}  // namespace gpubench
