#include "power/log/text_lines.h"

#include <algorithm>

#include "gpubench/core/text/fields.h"

namespace gpubench {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 10;
constexpr std::size_t kLongestShown = 60;

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

}  // namespace gpubench
