#pragma once
// Records from objects, by their field tables.

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "report/json_value.h"

namespace gpubench {

template <class Record>
using FieldIndex = std::unordered_map<std::string_view, const Field<Record>*>;

/// The fields that a file is read for, by key. A kind of record has one table.
template <class Record>
const FieldIndex<Record>& index_of(std::span<const Field<Record>> fields) {
  static const FieldIndex<Record> index = [fields] {
    FieldIndex<Record> made;
    for (const Field<Record>& field : fields) {
      if (field.set) made.emplace(field.key, &field);
    }
    return made;
  }();
  return index;
}

/// Keys that no field has are passed over; what a field does not take is refused with its place.
template <class Record>
Record record_of(const Json& object, std::span<const Field<Record>> fields, const std::string& where) {
  require_object(object, where);
  const FieldIndex<Record>& index = index_of(fields);
  Record record;
  for (auto member = object.begin(); member != object.end(); ++member) {
    const auto field = index.find(member.key());
    if (field == index.end()) continue;
    const FieldValue value = field_value_of(object, member, where);
    try {
      field->second->set(record, value);
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
