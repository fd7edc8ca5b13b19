#pragma once
// Records as a table of values, for files that other programs read.

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// Above this a double does not hold every whole number.
inline constexpr std::int64_t kLargestExact = std::int64_t{1} << 53;

template <class Record>
bool takes(const Field<Record>& field, const FieldValue& value) {
  Record scratch;
  try {
    field.set(scratch, value);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// What is absent now could still be a list: a field that holds none refuses to be set to an empty one.
template <class Record>
bool takes_list(const Field<Record>& field) {
  return takes(field, std::vector<double>{}) || takes(field, NamedValues{}) || takes(field, NamedSeries{});
}

template <class Record>
bool is_number(const Field<Record>& field) {
  const FieldValue value = field.get(Record{});
  return !field.unit.empty() || std::holds_alternative<std::int64_t>(value) ||
         std::holds_alternative<double>(value);
}

template <class Record>
bool is_single(const Field<Record>& field) {
  if (field.set) return !takes_list(field);
  return !std::holds_alternative<std::vector<std::int64_t>>(field.get(Record{}));
}

inline Cell data_cell(const FieldValue& value) {
  if (const Absent* why = std::get_if<Absent>(&value)) return {"", {}, why->reason, Tone::kMuted};
  if (const bool* is_so = std::get_if<bool>(&value)) return {*is_so ? "true" : "false"};
  if (const auto* text = std::get_if<std::string>(&value)) return {*text};
  if (const auto* count = std::get_if<std::int64_t>(&value)) {
    const bool is_exact = -kLargestExact < *count && *count < kLargestExact;
    return {std::to_string(*count), is_exact ? std::optional(static_cast<double>(*count)) : std::nullopt};
  }
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || !std::isfinite(*number)) return {""};
  return {fmt::format("{}", *number), *number};
}

/// A row a record and a column for each field of a single value, called as in the file, in base units.
template <class Record>
Table record_data(std::span<const Field<Record>> fields, const std::vector<Record>& records,
                  const std::string& name) {
  Table table{"", {{"file"}}, {}, {}};
  table.rows.assign(records.size(), {{name}});
  for (const Field<Record>& field : fields) {
    if (!is_single(field)) continue;
    table.columns.push_back({field.key, "", is_number(field)});
    for (std::size_t i = 0; i < records.size(); ++i)
      table.rows[i].push_back(data_cell(field.get(records[i])));
  }
  return table;
}

}  // namespace gpubench
