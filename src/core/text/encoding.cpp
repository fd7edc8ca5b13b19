#include "gpubench/core/text/encoding.h"

#include <array>

#include <utf8proc.h>

#include "gpubench/core/text/utf8.h"

namespace gpubench {
namespace {

void append(std::string& text, std::int32_t code) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const bool is_valid = utf8proc_codepoint_valid(code);
  const auto size = utf8proc_encode_char(is_valid ? code : kReplacementCharacter, bytes.data());
  text.append(bytes.begin(), bytes.begin() + size);
}

std::string from_utf16(std::string_view bytes, bool is_big_endian) {
  const auto unit_at = [&](std::size_t at) {
    const int first = static_cast<unsigned char>(bytes[at]);
    const int second = static_cast<unsigned char>(bytes[at + 1]);
    return is_big_endian ? first << 8 | second : second << 8 | first;
  };
  std::string text;
  for (std::size_t at = 2; at + 1 < bytes.size(); at += 2) {
    const int unit = unit_at(at);
    const int next = at + 3 < bytes.size() ? unit_at(at + 2) : 0;
    const bool is_pair = unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000;
    append(text, is_pair ? 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00) : unit);
    if (is_pair) at += 2;
  }
  return text;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (!is_valid(character)) return false;
    text.remove_prefix(character.length);
  }
  return true;
}

}  // namespace

std::string decode_text(std::string bytes, std::string& encoding) {
  const bool is_big_endian = bytes.starts_with("\xfe\xff");
  if (is_big_endian || bytes.starts_with("\xff\xfe")) {
    encoding = "UTF-16";
    return from_utf16(bytes, is_big_endian);
  }
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.erase(0, 3);
  if (is_utf8(bytes)) return bytes;
  encoding = "Latin-1";
  std::string text;
  for (const char byte : bytes) append(text, static_cast<unsigned char>(byte));
  return text;
}

}  // namespace gpubench
