#pragma once
// Conversions between a record's members and FieldValue, shared by the field tables.

#include "gpubench/record/field_table.h"

namespace gpubench {

inline FieldValue field_value(Seconds seconds) { return seconds.value; }
inline FieldValue field_value(Bytes bytes) { return bytes.value; }
inline FieldValue field_value(Joules joules) { return joules.value; }
inline FieldValue field_value(Watts watts) { return watts.value; }
template <class T>
FieldValue field_value(const T& value) {
  return value;
}
template <class T>
FieldValue field_value(const Reading<T>& reading) {
  if (!reading.has_value()) return absent(reading.reason());
  return field_value(reading.value());
}

// The way back. Each throws a data Error, "a number is expected", for a value of another kind.
void assign(bool& target, const FieldValue& value);
void assign(std::int64_t& target, const FieldValue& value);
void assign(double& target, const FieldValue& value);  ///< Absent becomes NaN, which files cannot hold.
void assign(std::string& target, const FieldValue& value);
void assign(Seconds& target, const FieldValue& value);
void assign(Bytes& target, const FieldValue& value);
void assign(Joules& target, const FieldValue& value);
void assign(Watts& target, const FieldValue& value);
void assign(std::vector<double>& target, const FieldValue& value);
void assign(std::vector<std::int64_t>& target, const FieldValue& value);
void assign(std::vector<std::string>& target, const FieldValue& value);
void assign(std::vector<Phase>& target, const FieldValue& value);
void assign(NamedValues& target, const FieldValue& value);
void assign(NamedSeries& target, const FieldValue& value);
void assign(std::vector<Warning>& target,
            const FieldValue& value);  ///< Texts are warnings of which no more is known.
template <class T>
void assign(Reading<T>& target, const FieldValue& value) {
  if (const Absent* why = std::get_if<Absent>(&value)) {
    target = *why;
    return;
  }
  T present{};
  assign(present, value);
  target = std::move(present);
}

/// Access to a data member: `member(&CaseRecord::model)`.
template <class Record, class T>
Access<Record> member(T Record::*pointer) {
  return {[pointer](const Record& record) { return field_value(record.*pointer); },
          [pointer](Record& record, const FieldValue& value) { assign(record.*pointer, value); }};
}

}  // namespace gpubench
