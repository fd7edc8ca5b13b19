#include "formats/parts/markup.h"

#include "gpubench/core/text/utf8.h"

namespace gpubench {
namespace {

constexpr const char* kReplacementText = "\xef\xbf\xbd";

bool is_forbidden(char32_t code) {
  if (code == '\t' || code == '\n') return false;
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xfffe || code == 0xffff ||
         code == kReplacementCharacter;
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
