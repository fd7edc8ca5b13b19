#include "power/log/text_lines.h"

#include <algorithm>

namespace gpubench {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 10;
constexpr std::size_t kLongestShown = 60;

std::string_view without_quotes(std::string_view field) {
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
    return field.substr(1, field.size() - 2);
  return field;
}

}  // namespace

bool is_control(char character) {
  const auto code = static_cast<unsigned char>(character);
  return (code < 0x20 && character != '\t') || code == 0x7f;
}

std::string shown(std::string_view text) {
  std::string part(text.substr(0, kLongestShown));
  std::ranges::replace_if(part, is_control, '?');
  return "'" + part + (text.size() > kLongestShown ? "...'" : "'");
}

bool TextLines::next() {
  if (rest_.empty()) return false;
  ++number_;
  const std::size_t end = rest_.find('\n');
  is_open_ = end == std::string_view::npos;
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(is_open_ ? rest_.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > kLongestLine) refuse_line(number_, "is longer than 64 KiB; name a log of power");
  if (std::ranges::any_of(line, is_control)) {
    refuse_line(number_, "is no text; save the log as UTF-8 text, or cut the broken part out");
  }
  line_ = trimmed(line);
  return true;
}

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
