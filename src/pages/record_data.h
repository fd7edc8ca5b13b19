#pragma once
// Records as a table of values, for files that other programs read.

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "gpubench/record/field_table.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// Above this a double does not hold every whole number.
inline constexpr std::int64_t kLargestExact = std::int64_t{1} << 53;

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
Table record_data(const FieldTable<Record>& fields, const std::vector<Record>& records,
                  const std::string& name) {
  Table table{"", {{"file"}}, {}, {}};
  table.rows.assign(records.size(), {{name}});
  for (const Field<Record>& field : fields) {
    if (!field.values.is_single()) continue;
    table.columns.push_back({field.key, "", field.values.is_number()});
    for (std::size_t i = 0; i < records.size(); ++i)
      table.rows[i].push_back(data_cell(field.get(records[i])));
  }
  return table;
}

}  // namespace gpubench
