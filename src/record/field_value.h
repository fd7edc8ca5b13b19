#pragma once
// Conversions between members of records and FieldValue, and parts of field tables.

#include <concepts>
#include <functional>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <vector>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/names.h"
#include "gpubench/record/parameter.h"

namespace gpubench {

inline constexpr Shown kInTable = Shown::kInTable;
inline constexpr Shown kIfUnusual = Shown::kInTableIfUnusual;

template <class T>
FieldValue field_value(const T& value) {
  return value;
}
template <class Tag, class Number>
FieldValue field_value(const Quantity<Tag, Number>& quantity) {
  return quantity.value;
}
template <class T>
FieldValue field_value(const Measured<T>& reading) {
  if (!reading.has_value()) return reading.why();
  return field_value(reading.value());
}

/// Sets a member of the value's kind. A missing number becomes NaN; other missing values are a data Error.
template <class T>
void assign(T& target, const FieldValue& value) {
  if (const T* present = std::get_if<T>(&value)) {
    target = *present;
  } else if constexpr (std::same_as<T, double>) {
    target = std::numeric_limits<double>::quiet_NaN();
  } else {
    throw Error(ErrorKind::kData, "expected a value");
  }
}
template <class Tag, class Number>
void assign(Quantity<Tag, Number>& target, const FieldValue& value) {
  assign(target.value, value);
}
template <class T>
void assign(Measured<T>& target, const FieldValue& value) {
  if (const Missing* why = std::get_if<Missing>(&value)) {
    target = *why;
    return;
  }
  T present{};
  assign(present, value);
  target = std::move(present);
}

/// Returns the allowed values of a member of type T.
template <class T>
Values list_values(const T& example) {
  return {static_cast<Kind>(field_value(example).index() - 1)};  // Missing is the first alternative.
}
template <class T>
Values list_values(const Measured<T>& /*example*/) {
  Values values = list_values(T{});
  values.may_be_absent = true;
  return values;
}

/// Returns access to a data member: `member(&CaseRecord::model)`.
template <class Record, class T>
Access<Record> member(T Record::*pointer) {
  return {[pointer](const Record& record) { return field_value(record.*pointer); },
          [pointer](Record& record, const FieldValue& value) { assign(record.*pointer, value); },
          list_values(T{})};
}

/// Returns access to an enumeration by the accessor `at`. Documents may contain only `names`.
template <class Record, class At, class Enum = std::decay_t<std::invoke_result_t<At, const Record&>>>
Access<Record> named(At at, std::vector<std::string> names = known_names<Enum>()) {
  Access<Record> access{[at](const Record& record) { return to_string(at(record)); },
                        [at](Record& record, const FieldValue& value) {
                          std::string name;
                          assign(name, value);
                          at(record) = value_named<Enum>(name, ErrorKind::kData);
                        },
                        {Kind::kText}};
  return std::move(access).one_of(std::move(names));
}
template <class Record, class Enum>
Access<Record> named(Enum Record::*pointer) {
  return named<Record>(std::mem_fn(pointer));
}

/// Returns access to a member whose empty value means missing, with the reason `why_none`.
template <class Record, class T>
Access<Record> or_none(T Record::*pointer, const char* why_none) {
  return {[=](const Record& record) {
            const T& value = record.*pointer;
            return value == T{} ? FieldValue(missing(why_none)) : field_value(value);
          },
          [=](Record& record, const FieldValue& value) {
            record.*pointer = T{};
            if (!std::holds_alternative<Missing>(value)) assign(record.*pointer, value);
          },
          list_values(Measured<T>())};
}

/// Returns access to a derived value, without a setter: `derived<CaseRecord>(startup)`.
template <class Record, class Function>
Access<Record> derived(Function function) {
  using Value = std::decay_t<std::invoke_result_t<Function, const Record&>>;
  return {[function](const Record& record) { return field_value(std::invoke(function, record)); },
          {},
          list_values(Value{})};
}
/// Selects the overload for the record.
template <class Record, class Value>
Access<Record> derived(Value (*function)(const Record&)) {
  return derived<Record, Value (*)(const Record&)>(function);
}

// Parts of the tables of rows, by subject.

std::vector<Field<RowRecord>> row_fields();  ///< Common fields except `status`, whose names differ.

std::vector<Field<CaseRecord>> time_figures();
std::vector<Field<CaseRecord>> memory_figures();
std::vector<Field<CaseRecord>> quality_figures();
std::vector<Field<CaseRecord>> energy_figures();
std::vector<Field<CaseRecord>> utilization_figures();
std::vector<Field<CaseRecord>> rank_figures();
std::vector<Field<OpRecord>> op_figures();  ///< With `error`, which tables show last.

/// Returns the table of a kind of rows: the parameters in files, then `parts`, then row_fields().
template <class Record, class Point>
std::vector<Field<Record>> make_row_table(const ParameterTable<Point>& parameters,
                                          std::initializer_list<std::vector<Field<Record>>> parts) {
  std::vector<Field<Record>> fields;
  for (const Parameter<Point>& parameter : parameters) {
    if (!parameter.use.is_in_file) continue;
    Field<Record>& field = fields.emplace_back(static_cast<const Field<Point>&>(parameter));
    if (!field.help.ends_with('.')) field.help += '.';  // Help of options has no full stop.
    if (parameter.set) field.section = FieldSection::kAsked;
  }
  for (const std::vector<Field<Record>>& part : parts) append(fields, part);
  for (const Field<RowRecord>& field : row_fields()) fields.emplace_back(field);
  return fields;
}

/// Returns the median fraction of a steady epoch spent waiting for exchanges, by the rank that waited least.
Measured<double> communication_share(const CaseRecord& record);

}  // namespace gpubench
