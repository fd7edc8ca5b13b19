#include "formats/parts/markup.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gpubench/core/text/plain_text.h"
#include "gpubench/core/text/utf8.h"

namespace gpubench {
namespace {

bool is_forbidden(char32_t code) {
  if (code == '\t' || code == '\n') return false;
  return is_command(code) || code == 0xfffe || code == 0xffff || code == kReplacementCharacter;
}

/// What is written for the character; empty where it stands for itself.
std::string_view stand_in(char32_t code) {
  using Entity = std::pair<char32_t, std::string_view>;
  static constexpr std::array<Entity, 5> kEntities = {
      {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}}};
  if (is_forbidden(code)) return "\xef\xbf\xbd";  // U+FFFD.
  const auto known = std::ranges::find(kEntities, code, &Entity::first);
  return known == kEntities.end() ? "" : known->second;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [code, length] = first_character(text);
    const std::string_view other = stand_in(code);
    result += other.empty() ? text.substr(0, length) : other;
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace gpubench
