#include "pages/field_column.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"
#include "pages/table_notes.h"

namespace gpubench {
namespace {

std::string rate_text(double rate) {
  return rate < 100 ? fmt::format("{:.1f}", rate) : with_separators(std::llround(rate));
}

}  // namespace

int decimals_for(const std::vector<FieldValue>& values) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const FieldValue& value : values) {
    const double* number = std::get_if<double>(&value);
    if (number != nullptr && *number != 0) smallest = std::min(smallest, std::abs(*number));
  }
  return 2 + (smallest < 1 ? 1 : 0) + (smallest < 0.1 ? 1 : 0);
}

std::string number_text(double number, const std::string& unit, int decimals) {
  if (!std::isfinite(number)) return "-";
  if (unit == "s") return fmt::format("{:.{}f}", number, decimals);
  if (unit.ends_with("/s")) return rate_text(number);
  if (unit == "fraction") return fmt::format("{:.2f} %", 100 * number);
  return std::abs(number) < 1000 ? fmt::format("{:.4g}", number) : with_separators(std::llround(number));
}

std::string cell_text(const FieldValue& value, const std::string& unit, int decimals) {
  if (const auto* text = std::get_if<std::string>(&value)) return one_line(*text);
  if (const auto* count = std::get_if<std::int64_t>(&value)) return std::to_string(*count);
  if (const auto* number = std::get_if<double>(&value)) return number_text(*number, unit, decimals);
  return "-";
}

bool is_in_heading(const std::string& unit) { return unit == "s" || unit == "J" || unit == "W"; }

bool has_text(const std::vector<FieldValue>& values) {
  const auto is_text = [](const FieldValue& value) { return std::holds_alternative<std::string>(value); };
  return std::any_of(values.begin(), values.end(), is_text);
}

}  // namespace gpubench
