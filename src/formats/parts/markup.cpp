#include "formats/parts/markup.h"

#include <algorithm>

namespace gpubench {
namespace {

constexpr char32_t kReplacement = 0xfffd;
constexpr const char* kReplacementText = "\xef\xbf\xbd";

std::size_t length_by_first_byte(unsigned char byte) {
  if (byte < 0x80) return 1;
  if (byte >= 0xc2 && byte < 0xe0) return 2;
  if (byte >= 0xe0 && byte < 0xf0) return 3;
  if (byte >= 0xf0 && byte < 0xf5) return 4;
  return 0;
}

/// Too long a form, half of a pair of UTF-16, or beyond Unicode.
bool is_illegal(char32_t code, std::size_t length) {
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  return code < kSmallest[length] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff;
}

bool is_forbidden(char32_t code) {
  if (code == '\t' || code == '\n') return false;
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xfffe || code == 0xffff ||
         code == kReplacement;
}

const char* entity(char32_t code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return nullptr;
  }
}

}  // namespace

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = length_by_first_byte(byte(0));
  if (length == 0 || length > text.size()) return {kReplacement, 1};
  char32_t code = length == 1 ? byte(0) : byte(0) & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {kReplacement, 1};
    code = code << 6 | (byte(i) & 0x3f);
  }
  if (is_illegal(code, length)) return {kReplacement, 1};
  return {code, length};
}

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [code, length] = first_character(text);
    if (is_forbidden(code)) {
      result += kReplacementText;
    } else if (const char* name = entity(code)) {
      result += name;
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace gpubench
