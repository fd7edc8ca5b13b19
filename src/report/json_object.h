#pragma once
// Objects from records, by their field tables.

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gpubench/record/field_table.h"
#include "gpubench/record_json.h"

namespace gpubench {

// A value at `key`. JSON has no NaN and no infinity: such a number is null, with a reason outside of lists.
void put(Json& object, const std::string& key, const Absent& why);
void put(Json& object, const std::string& key, double number);
void put(Json& object, const std::string& key, const std::vector<double>& numbers);
void put(Json& object, const std::string& key, const std::vector<Phase>& phases);
void put(Json& object, const std::string& key, const NamedValues& values);
void put(Json& object, const std::string& key, const NamedSeries& series);
void put(Json& object, const std::string& key, const std::vector<Warning>& warnings);
template <class T>
void put(Json& object, const std::string& key, const T& value) {
  object[key] = value;
}

template <class Record>
void put_field(Json& object, const Field<Record>& field, const Record& record) {
  std::visit([&](const auto& value) { put(object, field.key, value); }, field.get(record));
}

template <class Record>
void put_fields(Json& object, std::span<const Field<Record>> fields, const Record& record) {
  for (const Field<Record>& field : fields) put_field(object, field, record);
}

template <class Record>
Json object_of(std::span<const Field<Record>> fields, const Record& record) {
  Json object = Json::object();
  put_fields(object, fields, record);
  return object;
}

template <class Record>
Json list_of(std::span<const Field<Record>> fields, const std::vector<Record>& records) {
  Json list = Json::array();
  for (const Record& record : records) list.push_back(object_of(fields, record));
  return list;
}

/// An object with a member a pair.
template <class Named>
Json named_json(const Named& items) {
  Json named = Json::object();
  for (const auto& [name, value] : items) put(named, name, value);
  return named;
}

}  // namespace gpubench
