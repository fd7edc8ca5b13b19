#include "power/log/csv_line.h"

#include <algorithm>

#include "power/log/cursor.h"

namespace gpubench {
namespace {

/// Up to the separator that stands outside of quotes.
std::string_view take_field(std::string_view& rest, char separator) {
  bool is_quoted = false;
  std::size_t end = 0;
  for (; end < rest.size() && (is_quoted || rest[end] != separator); ++end) {
    if (rest[end] == '"') is_quoted = !is_quoted;
  }
  const std::string_view field = rest.substr(0, end);
  rest.remove_prefix(end);
  return field;
}

std::string_view without_quotes(std::string_view field) {
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
    return field.substr(1, field.size() - 2);
  return field;
}

bool is_whole(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// "71 W", but neither "0" nor "70.71 W".
bool is_fraction_with_unit(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view unit = trimmed(text.substr(digits));
  return digits > 0 && (unit == "W" || unit == "MHz");
}

/// Whether nothing but one comma is between the two.
bool are_adjacent(std::string_view left, std::string_view right) {
  return left.data() + left.size() + 1 == right.data();
}

}  // namespace

std::vector<std::string_view> split_fields(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  for (bool is_more = true; is_more;) {
    fields.push_back(without_quotes(trimmed(take_field(line, separator))));
    is_more = !line.empty();
    if (is_more) line.remove_prefix(1);
  }
  return fields;
}

CsvLine split_csv(std::string_view line) {
  return {split_fields(line, line.find(';') == std::string_view::npos ? ',' : ';'), '.'};
}

void join_decimals(CsvLine& line, std::size_t columns) {
  if (line.fields.size() <= columns) return;
  std::vector<std::string_view> joined;
  for (const std::string_view field : line.fields) {
    const bool is_decimal = !joined.empty() && is_whole(joined.back()) && is_fraction_with_unit(field) &&
                            are_adjacent(joined.back(), field);
    if (is_decimal) {
      joined.back() = {joined.back().data(), joined.back().size() + 1 + field.size()};
      line.point = ',';
    } else {
      joined.push_back(field);
    }
  }
  line.fields = std::move(joined);
}

}  // namespace gpubench
