#pragma once
// Console output: data on stdout, all else on stderr. Nothing throws: a closed pipe must not end a run.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace gpubench {

/// Prints "gpubench: <sentence>" on stderr, sanitized by plain_text() and without passwords in URLs.
void log_info(std::string_view sentence) noexcept;

template <class First, class... More>
void log_info(fmt::format_string<First, More...> text, First&& first, More&&... more) {
  log_info(fmt::format(text, std::forward<First>(first), std::forward<More>(more)...));
}

/// Prints the text unchanged on stderr, for status lines that are overwritten later.
void draw_status(std::string_view text) noexcept;

/// Returns true if stderr is a terminal and --quiet is not given.
bool shows_progress(bool is_quiet);

/// Returns the width of text on stdout in columns: that of the terminal, else COLUMNS, else 80; from 60 to
/// 200.
std::size_t output_width();

/// Terminal sequence that clears the current line.
constexpr const char* kClearLine = "\r\033[K";

/// Prints the text on stdout. flush_output() detects failures.
void print(std::string_view text) noexcept;
template <class First, class... More>
void print(fmt::format_string<First, More...> text, First&& first, More&&... more) {
  print(fmt::format(text, std::forward<First>(first), std::forward<More>(more)...));
}

/// Prints a line on stdout, sanitized by plain_text(), for untrusted text.
void print_line(std::string_view text);

/// Flushes stdout. Returns true if everything printed has been written.
bool flush_output() noexcept;

/// Replaces user names and passwords in URLs by "***".
std::string without_passwords(std::string text);

/// Opens stdin, stdout and stderr if closed; a file opened later would receive the output. Call it first.
void open_standard_descriptors();

}  // namespace gpubench
