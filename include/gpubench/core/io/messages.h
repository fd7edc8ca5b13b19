#pragma once
// Output: data on stdout, all else on stderr. None throws: a closed pipe must not end a measurement.

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace gpubench {

/// Prints "gpubench: <sentence>" on stderr, as plain_text() and without passwords in URLs.
void log_info(std::string_view sentence) noexcept;

template <class First, class... More>
void log_info(fmt::format_string<First, More...> text, First&& first, More&&... more) {
  log_info(fmt::format(text, std::forward<First>(first), std::forward<More>(more)...));
}

/// Prints the text as it is on stderr, for lines that are painted over.
void draw_status(std::string_view text) noexcept;

/// Returns true if stderr is a terminal and the user has not asked for quiet.
bool shows_progress(bool is_quiet);

/// Moves to the first column of an empty line.
constexpr const char* kClearLine = "\r\033[K";

/// Prints the text on stdout. flush_output() detects failures.
void print(std::string_view text) noexcept;
template <class First, class... More>
void print(fmt::format_string<First, More...> text, First&& first, More&&... more) {
  print(fmt::format(text, std::forward<First>(first), std::forward<More>(more)...));
}

/// Prints a line of plain_text() on stdout, for names and words from outside.
void print_line(std::string_view text);

/// Returns true if all of print() has been written.
bool flush_output() noexcept;

/// Replaces the names and passwords of URLs: "://***@".
std::string without_passwords(std::string text);

/// Opens stdin, stdout and stderr where they are closed, lest a later file gets what is printed. Comes first.
void occupy_standard_descriptors();

}  // namespace gpubench
