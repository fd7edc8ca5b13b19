#pragma once
// Conversions from a record's members to FieldValue, shared by the field tables.

#include "gpubench/record/field_table.h"

namespace gpubench {

inline FieldValue field_value(Seconds seconds) { return seconds.value; }
inline FieldValue field_value(Bytes bytes) { return bytes.value; }
template <class T>
FieldValue field_value(const T& value) {
  return value;
}
template <class T>
FieldValue field_value(const Reading<T>& reading) {
  if (!reading.has_value()) return absent(reading.reason());
  return field_value(reading.value());
}

/// Getter for a data member: `member(&CaseRecord::model)`.
template <class Record, class T>
std::function<FieldValue(const Record&)> member(T Record::*pointer) {
  return [pointer](const Record& record) { return field_value(record.*pointer); };
}

}  // namespace gpubench
