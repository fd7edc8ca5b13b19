#include "pages/record_table.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

/// Above this a double does not hold every whole number.
constexpr std::int64_t kLargestExact = std::int64_t{1} << 53;

std::string number_text(double number, const std::string& unit, int decimals) {
  if (!std::isfinite(number)) return "-";
  if (unit == "s") return fmt::format("{:.{}f}", number, decimals);
  if (unit == "fraction") return fmt::format("{:.2f} %", 100 * number);
  if (unit.ends_with("/s") && number < 100) return fmt::format("{:.1f}", number);
  if (!unit.ends_with("/s") && std::abs(number) < 1000) return fmt::format("{:.4g}", number);
  return with_separators(std::llround(number));
}

/// Returns whether a column of text is equal in all of several rows.
bool is_constant(const Table& table, std::size_t column) {
  if (table.rows.size() < 2 || table.columns[column].is_number) return false;
  const std::string& text = table.rows.front()[column].text;
  return std::ranges::all_of(table.rows, [&](const auto& row) { return row[column].text == text; });
}

}  // namespace

std::string cell_text(const FieldValue& value, const std::string& unit, int decimals) {
  if (const auto* text = std::get_if<std::string>(&value)) return one_line(*text);
  if (const auto* count = std::get_if<std::int64_t>(&value)) return std::to_string(*count);
  if (const auto* number = std::get_if<double>(&value)) return number_text(*number, unit, decimals);
  return "-";
}

Cell field_cell(const FieldValue& value, const std::string& unit, int decimals) {
  Cell cell{cell_text(value, unit, decimals)};
  if (const auto* count = std::get_if<std::int64_t>(&value)) cell.value = static_cast<double>(*count);
  if (const auto* number = std::get_if<double>(&value)) {
    if (std::isfinite(*number)) cell.value = unit == "fraction" ? 100 * *number : *number;
    // The heading has the sign.
    if (unit == "fraction" && cell.text.ends_with(" %")) cell.text.resize(cell.text.size() - 2);
  }
  if (cell.text == "-" || std::holds_alternative<Missing>(value)) cell.tone = Tone::kMuted;
  return cell;
}

Cell data_cell(const FieldValue& value) {
  if (const bool* is_true = std::get_if<bool>(&value)) return {*is_true ? "true" : "false"};
  if (const auto* text = std::get_if<std::string>(&value)) return {*text};
  if (const auto* count = std::get_if<std::int64_t>(&value)) {
    const bool is_exact = -kLargestExact < *count && *count < kLargestExact;
    return {std::to_string(*count), is_exact ? std::optional(static_cast<double>(*count)) : std::nullopt};
  }
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || !std::isfinite(*number)) return {""};
  return {fmt::format("{}", *number), *number};
}

std::string why_absent(const FieldValue& value) {
  if (const Missing* why = std::get_if<Missing>(&value)) return why->reason;
  const double* number = std::get_if<double>(&value);
  return number != nullptr && !std::isfinite(*number) ? "not a finite number" : "";
}

std::pair<Column, int> find_column(const FieldFacts& field, const std::vector<FieldValue>& values) {
  bool has_text = false;
  double smallest = std::numeric_limits<double>::infinity();
  for (const FieldValue& value : values) {
    has_text = has_text || std::holds_alternative<std::string>(value);
    const double* number = std::get_if<double>(&value);
    if (number != nullptr && *number != 0) smallest = std::min(smallest, std::abs(*number));
  }
  // Other units stand with the figure, or the label says it.
  const bool is_in_heading = field.unit == "s" || field.unit == "J" || field.unit == "W";
  const std::string unit = field.unit == "fraction" ? "%" : is_in_heading ? field.unit : "";
  return {{field.label, unit, !has_text}, 2 + (smallest < 1 ? 1 : 0) + (smallest < 0.1 ? 1 : 0)};
}

Table folded(Table table) {
  std::vector<std::string> constants;
  for (std::size_t i = table.columns.size(); i-- > 1;) {
    if (table.columns[i].heading == "status" || !is_constant(table, i)) continue;
    const std::string& text = table.rows.front()[i].text;
    if (!text.empty()) constants.insert(constants.begin(), table.columns[i].heading + " " + text);
    remove_column(table, i);
  }
  if (!constants.empty()) table.notes.insert(table.notes.begin(), "all rows: " + join(constants));
  return table;
}

void remove_column(Table& table, std::size_t column) {
  const auto offset = static_cast<std::ptrdiff_t>(column);
  table.columns.erase(table.columns.begin() + offset);
  for (auto& row : table.rows) row.erase(row.begin() + offset);
}

}  // namespace gpubench
