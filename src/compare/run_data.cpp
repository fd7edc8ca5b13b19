#include "compare/run_data.h"

#include <cmath>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/record/field_table.h"

namespace gpubench {
namespace {

/// Above this a double does not hold every whole number.
constexpr std::int64_t kLargestExact = std::int64_t{1} << 53;

bool takes(const Field<CaseRecord>& field, const FieldValue& value) {
  CaseRecord scratch;
  try {
    field.set(scratch, value);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// What is absent now could still be a list: a field that holds none refuses to be set to an empty one.
bool takes_list(const Field<CaseRecord>& field) {
  return takes(field, std::vector<double>{}) || takes(field, NamedValues{}) || takes(field, NamedSeries{});
}

bool is_number(const Field<CaseRecord>& field) {
  const FieldValue value = field.get(CaseRecord{});
  return !field.unit.empty() || std::holds_alternative<std::int64_t>(value) ||
         std::holds_alternative<double>(value);
}

bool is_single(const Field<CaseRecord>& field) {
  if (field.set) return !takes_list(field);
  return !std::holds_alternative<std::vector<std::int64_t>>(field.get(CaseRecord{}));
}

Cell data_cell(const FieldValue& value) {
  if (const Absent* why = std::get_if<Absent>(&value)) return {"", {}, why->reason, Tone::kMuted};
  if (const bool* is_so = std::get_if<bool>(&value)) return {*is_so ? "true" : "false"};
  if (const auto* text = std::get_if<std::string>(&value)) return {*text};
  if (const auto* count = std::get_if<std::int64_t>(&value)) {
    const bool is_exact = *count<kLargestExact&& * count> - kLargestExact;
    return {std::to_string(*count), is_exact ? std::optional(static_cast<double>(*count)) : std::nullopt};
  }
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || !std::isfinite(*number)) return {""};
  return {fmt::format("{}", *number), *number};
}

}  // namespace

Table run_data(const RunRecord& run, const std::string& name) {
  Table table{"", {{"file"}}, {}, {}};
  table.rows.assign(run.cases.size(), {{name}});
  for (const Field<CaseRecord>& field : case_fields()) {
    if (!is_single(field)) continue;
    table.columns.push_back({field.key, "", is_number(field)});
    for (std::size_t i = 0; i < run.cases.size(); ++i)
      table.rows[i].push_back(data_cell(field.get(run.cases[i])));
  }
  return table;
}

}  // namespace gpubench
