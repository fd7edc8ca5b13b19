#include "gpubench/core/io/messages.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>

#include "gpubench/core/io/files.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/utf8.h"

namespace gpubench {
void log_info(std::string_view sentence) noexcept try {
  draw_status("gpubench: " + plain_text(without_passwords(std::string(sentence))) + "\n");
} catch (const std::exception&) {
  // Out of memory: the message is lost.
}

void draw_status(std::string_view text) noexcept { write_all(STDERR_FILENO, text); }

bool shows_progress(bool is_quiet) { return !is_quiet && isatty(STDERR_FILENO) != 0; }

std::size_t output_width() {
  constexpr std::int64_t kUsual = 80;
  constexpr std::int64_t kNarrowest = 60;
  constexpr std::int64_t kWidest = 200;
  std::int64_t width = parse_whole(read_variable("COLUMNS")).value_or(0);
  if (winsize size{};
      isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    width = size.ws_col;
  return static_cast<std::size_t>(width > 0 ? std::clamp(width, kNarrowest, kWidest) : kUsual);
}

void print(std::string_view text) noexcept { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_line(std::string_view text) { print(plain_text(text) + "\n"); }

bool flush_output() noexcept { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

std::string without_passwords(std::string text) {
  constexpr std::string_view kScheme = "://";
  for (std::size_t at = 0; (at = text.find(kScheme, at)) != std::string::npos; at += kScheme.size()) {
    const std::size_t host = at + kScheme.size();
    const std::size_t end = std::min(text.find_first_of("/?# \t\n", host), text.size());
    const std::size_t sign = text.substr(0, end).rfind('@');
    if (sign != std::string::npos && sign > host) text.replace(at, sign + 1 - at, "://***@");
  }
  return text;
}

void open_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    // Writes to stdout fail as before, and messages are discarded. open() returns the lowest free number.
    if (open("/dev/null", number == STDERR_FILENO ? O_WRONLY : O_RDONLY) != number) return;
  }
}

}  // namespace gpubench
