#pragma once
// Goes through the text of a log, whatever the locale, and says what is wrong with a line.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/error.h"

namespace gpubench {

/// Goes through a text line by line; refuses what is no text, and lines of more than 64 KiB.
class TextLines {
 public:
  explicit TextLines(std::string_view text) : rest_(text) {}

  /// Moves on to the next line; false where there is none.
  bool next();
  /// Without its end and the spaces around.
  std::string_view line() const { return line_; }
  std::size_t number() const { return number_; }
  /// Whether it has no end: whoever wrote the log was stopped in it.
  bool is_last_and_open() const { return is_open_; }

 private:
  std::string_view rest_;
  std::string_view line_;
  std::size_t number_ = 0;
  bool is_open_ = false;
};

/// Throws a data Error: "line 7: what", which is a format and its values.
template <class... Values>
[[noreturn]] void refuse_line(std::size_t number, fmt::format_string<Values...> what, Values&&... values) {
  throw Error(ErrorKind::kData, "line {}: {}", number, fmt::format(what, std::forward<Values>(values)...));
}

/// Whether no line of text has it; a tabulator may be there.
bool is_control(char character);

/// 'text', cut off where it is long.
std::string shown(std::string_view text);

}  // namespace gpubench
