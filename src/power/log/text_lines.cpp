#include "power/log/text_lines.h"

#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "power/log/cursor.h"

namespace gpubench {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 10;
constexpr std::size_t kLongestShown = 60;

bool is_control(char character) {
  const auto code = static_cast<unsigned char>(character);
  return (code < 0x20 && character != '\t') || code == 0x7f;
}

}  // namespace

void refuse_line(std::size_t number, const std::string& what) {
  throw Error(ErrorKind::kData, fmt::format("line {}: {}", number, what));
}

std::string shown(std::string_view text) {
  std::string part(text.substr(0, kLongestShown));
  std::replace_if(part.begin(), part.end(), is_control, '?');
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
  if (std::any_of(line.begin(), line.end(), is_control)) {
    refuse_line(number_, "is no text; save the log as UTF-8 text, or cut the broken part out");
  }
  line_ = trimmed(line);
  return true;
}

}  // namespace gpubench
