#pragma once
// Records from objects, by their field tables.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "record/document/json_value.h"

namespace gpubench {

/// Keys that no field has are passed over; what a field does not take is refused with its place.
template <class Record>
Record record_of(const Json& object, const FieldTable<Record>& fields, const std::string& where) {
  require_object(object, where);
  const Reasons reasons(object);
  Record record;
  for (auto member = object.begin(); member != object.end(); ++member) {
    const Field<Record>* field = fields.find(member.key());
    if (field == nullptr || !field->set) continue;
    const FieldValue value = member->is_null() ? absent(reasons.of(member, field->group))
                                               : field_value_of(*member, where, member.key());
    try {
      field->set(record, value);
    } catch (const Error& error) {
      refuse(inside(where, member.key()), error.what());
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
