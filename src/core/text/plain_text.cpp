#include "gpubench/core/text/plain_text.h"

#include "gpubench/core/text/utf8.h"

namespace gpubench {
namespace {

bool is_space(char c) { return c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

bool is_command(char32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
  const bool is_direction = code == 0x061c || (code >= 0x200e && code <= 0x200f) ||
                            (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return is_control || is_direction;
}

std::string plain_text(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const Character character = first_character(text);
    if (is_space(text.front())) {
      plain += ' ';
    } else if (!is_valid(character) || is_command(character.code)) {
      plain += '?';
    } else {
      plain += text.substr(0, character.length);
    }
    text.remove_prefix(character.length);
  }
  return plain;
}

}  // namespace gpubench
