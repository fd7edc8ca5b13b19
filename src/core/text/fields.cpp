#include "gpubench/core/text/fields.h"

namespace gpubench {
namespace {

std::string_view without_quotes(std::string_view field) {
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
    return field.substr(1, field.size() - 2);
  return field;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return text.substr(0, 0);
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> split_fields(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  std::size_t begin = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const bool is_end = i == line.size();
    if (!is_end && line[i] == '"') is_quoted = !is_quoted;
    if (!is_end && (is_quoted || line[i] != separator)) continue;
    fields.push_back(without_quotes(trimmed(line.substr(begin, i - begin))));
    begin = i + 1;
  }
  return fields;
}

}  // namespace gpubench
