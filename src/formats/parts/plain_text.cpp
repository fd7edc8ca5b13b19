#include "formats/parts/plain_text.h"

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string_view>

namespace gpubench {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// How many bytes the first character of `text` takes; 0 where it is not UTF-8.
std::size_t length_of_first(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (lead > 0xf4 || text.size() < length) return 0;
  const std::string_view rest = text.substr(1, length == 0 ? 0 : length - 1);
  return std::all_of(rest.begin(), rest.end(), continues) ? length : 0;
}

std::uint32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  std::uint32_t code = character.size() == 1 ? lead : lead & (0x7fU >> character.size());
  for (const char c : character.substr(1)) code = code << 6U | (static_cast<unsigned char>(c) & 0x3fU);
  return code;
}

bool commands_terminal(std::uint32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
  const bool is_direction = (code >= 0x200e && code <= 0x200f) || (code >= 0x202a && code <= 0x202e) ||
                            (code >= 0x2066 && code <= 0x2069);
  return is_control || is_direction;
}

bool is_space(char c) { return c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

std::string plain_text(const std::string& text) {
  std::string plain;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = length_of_first(rest);
    const std::string_view character = rest.substr(0, std::max<std::size_t>(length, 1));
    if (is_space(character.front())) {
      plain += ' ';
    } else if (length == 0 || commands_terminal(code_point(character))) {
      plain += '?';
    } else {
      plain += character;
    }
    rest.remove_prefix(character.size());
  }
  return plain;
}

std::size_t width_of(const std::string& text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues));
}

std::string clipped(const std::string& text, std::size_t width) {
  std::string plain = plain_text(text);
  if (width_of(plain) <= width) return plain;
  while (width_of(plain) >= width) {
    while (continues(plain.back())) plain.pop_back();
    plain.pop_back();
  }
  return plain + "…";
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(plain_text(text));
  for (std::string word; words >> word;) {
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (width_of(line) + 1 + width_of(word) <= width)
      line += " " + word;
    else
      lines.push_back(word);
  }
  return lines;
}

}  // namespace gpubench
