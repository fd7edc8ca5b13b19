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

inline constexpr Shown kInFile = Shown::kInFile;
inline constexpr Shown kInTable = Shown::kInTable;
inline constexpr Shown kIfUnusual = Shown::kInTableIfUnusual;

inline constexpr double kMostRanks = 65536;

/// Converts a member. An optional has a value; see or_none().
template <class T>
FieldValue field_value(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return to_string(value);
  else if constexpr (requires { value.why(); })
    return value.has_value() ? field_value(value.value()) : value.why();
  else if constexpr (requires { value.has_value(); })
    return field_value(*value);
  else if constexpr (requires { value.value; })  // A quantity.
    return value.value;
  else
    return value;
}

/// Sets a member of the value's kind. A missing number becomes NaN; other missing values are a data Error.
template <class T>
void assign(T& target, const FieldValue& value) {
  if constexpr (std::is_enum_v<T>) {
    std::string name;
    assign(name, value);
    target = value_named<T>(name, ErrorKind::kData);
  } else if constexpr (requires { target.emplace(); }) {  // An optional.
    assign(target.emplace(), value);
  } else if constexpr (requires { target.value; }) {  // A quantity.
    assign(target.value, value);
  } else if (const T* present = std::get_if<T>(&value)) {
    target = *present;
  } else if constexpr (std::same_as<T, double>) {
    target = std::numeric_limits<double>::quiet_NaN();
  } else {
    throw Error(ErrorKind::kData, "expected a value");
  }
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

/// Returns the allowed values of a member of type T. A member of an enumeration has the names of all
/// enumerators.
template <class T>
Values list_values(const T& example) {
  if constexpr (std::is_enum_v<T>) {
    return {.names = known_names<T>(), .is_own_word = true};
  } else if constexpr (requires { example.has_value(); }) {
    Values values = list_values(std::decay_t<decltype(example.value())>());
    values.may_be_absent = true;
    return values;
  } else {
    return {static_cast<Kind>(field_value(example).index() - 1)};  // Missing is the first alternative.
  }
}

/// Returns access to the member to which `at` returns a reference.
template <class Record, class At>
Access<Record> member_by(At at) {
  return {{list_values(std::decay_t<std::invoke_result_t<At, const Record&>>())},
          [at](const Record& record) { return field_value(at(record)); },
          [at](Record& record, const FieldValue& value) { assign(at(record), value); }};
}

/// Returns access to a data member: `member(&CaseRecord::model)`.
template <class Record, class T>
Access<Record> member(T Record::*pointer) {
  return member_by<Record>(std::mem_fn(pointer));
}

/// Returns access to a member whose empty value means missing, with the reason `why_none`.
template <class Record, class T>
Access<Record> or_none(T Record::*pointer, const char* why_none) {
  return {{list_values(Measured<T>())},
          [=](const Record& record) {
            const T& value = record.*pointer;
            return value == T{} ? FieldValue(missing(why_none)) : field_value(value);
          },
          [=](Record& record, const FieldValue& value) {
            record.*pointer = T{};
            if (!std::holds_alternative<Missing>(value)) assign(record.*pointer, value);
          }};
}

/// Returns access to a derived value, without a setter: `derived<CaseRecord>(startup)`.
template <class Record, class Function>
Access<Record> derived(Function function) {
  using Value = std::decay_t<std::invoke_result_t<Function, const Record&>>;
  return {{list_values(Value{})},
          [function](const Record& record) { return field_value(std::invoke(function, record)); }};
}
/// Selects the overload for the record.
template <class Record, class Value>
Access<Record> derived(Value (*function)(const Record&)) {
  return derived<Record, Value (*)(const Record&)>(function);
}

// Parts of the tables of rows, by subject.

std::vector<Field<RowRecord>> row_fields();  ///< Common fields except `status`, whose names differ.

std::vector<Field<CaseRecord>> training_figures();  ///< Times, memory and quality.
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
