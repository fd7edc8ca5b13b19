#pragma once
// Formats texts for a shell and for the names of attacks.

#include <string>

#include <fmt/format.h>

namespace gpubench::test {

/// Quotes a text without NUL as one word of a shell.
inline std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

/// Returns the text in quotes, with \xNN for bytes that are not printable ASCII, or the length of a long
/// text.
inline std::string shown(const std::string& text) {
  if (text.size() > 60) return fmt::format("of {} bytes", text.size());
  std::string visible;
  for (const char c : text) {
    const bool is_plain = c >= 0x20 && c < 0x7f;
    visible += is_plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return "'" + visible + "'";
}

}  // namespace gpubench::test
