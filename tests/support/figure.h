#pragma once
// Derived figures of rows, by key.

#include <string_view>
#include <variant>

#include "gpubench/record/field_table.h"

namespace gpubench::test {

template <class Value = double, class Record>
Measured<Value> figure(const FieldTable<Record>& fields, const Record& record, std::string_view key) {
  const FieldValue value = fields.find(key)->get(record);
  if (const Missing* const why = std::get_if<Missing>(&value)) return *why;
  return std::get<Value>(value);
}

template <class Value = double>
Measured<Value> figure(const CaseRecord& record, std::string_view key) {
  return figure<Value>(case_fields(), record, key);
}

}  // namespace gpubench::test
