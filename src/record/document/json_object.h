#pragma once
// Objects from records and records from objects, by their field tables; and how a document is refused.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gpubench/core/error.h"
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

/// Throws a data Error: "cases[0].batch: a number is expected".
[[noreturn]] void refuse(const std::string& place, const std::string& what);

/// The place of `key` in the object at `where`, which is empty for the document itself.
std::string inside(const std::string& where, const std::string& key);

void require_object(const Json& value, const std::string& place);

/// Throws a data Error for a document that is not of a version from 1 to `newest`.
void require_version(const Json& document, std::int64_t newest);

/// Why members of an object are null.
class Reasons {
 public:
  explicit Reasons(const Json& object);

  /// Of a member that is null, whose field is in `group`.
  std::string of(Json::const_iterator member, const std::string& group) const;

 private:
  const Json& object_;
  Json::const_iterator absent_;
};

/// What the value at `place` is, which is not null. Whether it is what it should be, the field's setter says;
/// `kind` tells only what a list of objects is one of.
FieldValue field_value_of(const Json& value, Kind kind, const std::string& place);

/// Named numbers or named lists of numbers.
FieldValue object_value(const Json& object, const std::string& place);

/// Keys that no field has are passed over; what a field does not take is refused with its place.
template <class Record>
Record record_of(const Json& object, const FieldTable<Record>& fields, const std::string& where) {
  require_object(object, where);
  const Reasons reasons(object);
  Record record;
  for (auto member = object.begin(); member != object.end(); ++member) {
    const Field<Record>* field = fields.find(member.key());
    if (field == nullptr || !field->set) continue;
    const std::string place = inside(where, member.key());
    const FieldValue value = member->is_null() ? absent(reasons.of(member, field->group))
                                               : field_value_of(*member, field->values.kind, place);
    try {
      field->set(record, value);
    } catch (const Error& error) {
      refuse(place, error.what());
    }
  }
  return record;
}

/// The list at `key`, an item at a time by `read`; nothing where the key is missing.
template <class Record, class Read>
void read_list(std::vector<Record>& records, const Json& object, const std::string& key,
               const std::string& where, Read read) {
  const auto list = object.find(key);
  if (list == object.end()) return;
  const std::string place = inside(where, key);
  if (!list->is_array()) refuse(place, "a list of objects is expected");
  for (const Json& item : *list) {
    records.push_back(read(item, fmt::format("{}[{}]", place, records.size())));
  }
}
template <class Record>
void read_list(std::vector<Record>& records, const Json& object, const std::string& key,
               const std::string& where, const FieldTable<Record>& fields) {
  read_list(records, object, key, where,
            [&](const Json& item, const std::string& place) { return record_of(item, fields, place); });
}

}  // namespace gpubench
