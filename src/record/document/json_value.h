#pragma once
// What a member of a document holds, as a value of a field; records from objects, by their field tables; and
// how a document is refused.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/record/field_table.h"
#include "record/document/json.h"

namespace gpubench {

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

/// The list at `key`, an item at a time; nothing where the key is missing.
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

}  // namespace gpubench
