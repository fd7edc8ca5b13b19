#pragma once
// Texts as words of a shell, and as readers of a table can see them.

#include <string>

#include <fmt/format.h>

namespace gpubench::test {

/// One word of a shell, whatever bytes are in it but NUL.
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

/// The text in quotation marks, with \xNN for what is not printable ASCII; of a long one its length.
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
