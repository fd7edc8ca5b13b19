#pragma once
// What the program says: data on stdout, all else on stderr. Whoever is told may be gone, which must not end
// what is measured, so none of these throws.

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace gpubench {

/// "gpubench: <sentence>" on stderr, as plain_text(), and without passwords in URLs. Lost where it cannot be
/// written.
void log_info(std::string_view sentence) noexcept;

/// Formatted as fmt::format does; so do its namesakes below.
template <class First, class... More>
void log_info(fmt::format_string<First, More...> text, First&& first, More&&... more) {
  log_info(fmt::format(text, std::forward<First>(first), std::forward<More>(more)...));
}

/// The text as it is on stderr, for lines that are painted over. Lost where it cannot be written.
void draw_status(std::string_view text) noexcept;

/// Whether progress is shown: stderr is a terminal and the user has not asked for quiet.
bool shows_progress(bool is_quiet);

/// Back to the first column of an empty line.
constexpr const char* kClearLine = "\r\033[K";

/// The text on stdout. What cannot be written is found out by flush_output().
void print(std::string_view text) noexcept;
template <class First, class... More>
void print(fmt::format_string<First, More...> text, First&& first, More&&... more) {
  print(fmt::format(text, std::forward<First>(first), std::forward<More>(more)...));
}

/// A line of plain_text() on stdout, for what has names and words from outside in it.
void print_line(std::string_view text);

/// Whether all of print() has been written.
bool flush_output() noexcept;

/// What stands in a URL for the name and the password before its '@'.
constexpr const char* kHiddenPassword = "://***@";

/// `text` with the names and passwords of its URLs hidden.
std::string without_passwords(std::string text);

/// Takes the numbers of stdin, stdout and stderr where they are closed, so that no file that is opened later
/// gets what is printed. To be called first.
void occupy_standard_descriptors();

}  // namespace gpubench
