#pragma once
// Power logs from templates of lines. A word such as @iso stands for a value of the line.

#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <fmt/chrono.h>

namespace gpubench::test {

constexpr int kTemplateLines = 24;                  // One per second.
constexpr std::time_t kTemplateStart = 1772366400;  // Sun Mar  1 12:00:00 2026 UTC.

/// Returns the planted power of a line: idle for 6 s, then a load that is not monotonic.
inline double planted_watts(int i) { return (i < 6 ? 60.5 : 203.25) + 0.75 * ((i * 3) % 4); }

inline double planted_mean() {
  double sum = 0;
  for (int i = 0; i < kTemplateLines; ++i) sum += planted_watts(i);
  return sum / kTemplateLines;
}

inline std::string filled(std::string text, int i) {
  const std::tm when = fmt::gmtime(kTemplateStart + i);
  const std::string unix_time = fmt::format("{}", kTemplateStart + i);
  const double watts = planted_watts(i);
  const std::vector<std::pair<std::string, std::string>> words{
      {"@iso", fmt::format("{:%Y-%m-%dT%H:%M:%S}.123", when)},
      {"@day", fmt::format("{:%Y-%m-%d}", when)},
      {"@time", fmt::format("{:%H:%M:%S}.123", when)},
      {"@compact", fmt::format("{:%Y%m%d_%H%M%S}", when)},
      {"@blank", fmt::format("{:%Y-%m-%d %H:%M:%S}.123", when)},
      {"@whole", fmt::format("{:%Y-%m-%d %H:%M:%S}", when)},
      {"@us-date", fmt::format("{:%m-%d-%Y %H:%M:%S}", when)},
      {"@dmon", fmt::format("{:%Y%m%d   %H:%M:%S}", when)},
      {"@slash", fmt::format("{:%Y/%m/%d %H:%M:%S}.123", when)},
      {"@german", fmt::format("{}.{}.{:%Y}", when.tm_mday, when.tm_mon + 1, when)},
      {"@date-c", fmt::format("{:%a %b %e %H:%M:%S} UTC {:%Y}", when, when)},
      {"@date-en", fmt::format("{:%a %b %e %I:%M:%S %p} UTC {:%Y}", when, when)},
      {"@date-mail", fmt::format("{:%a, %d %b %Y %H:%M:%S} +0000", when)},
      {"@ctime", fmt::format("{:%a %b %e %H:%M:%S %Y}", when)},
      {"@unix-ms", unix_time + "123"},
      {"@unix-us", unix_time + "123456"},
      {"@unix-e", fmt::format("{:.18e}", static_cast<double>(kTemplateStart + i) + 0.123)},
      {"@unix", unix_time + ".123"},
      {"@milliwatts", fmt::format("{:.0f}", watts * 1e3)},
      {"@microwatts", fmt::format("{:.0f}", watts * 1e6)},
      {"@kilowatts", fmt::format("{:.5f}", watts / 1e3)},
      {"@watts-e", fmt::format("{:.18e}", watts)},
      {"@watts", fmt::format("{:.2f}", watts)},
      {"@half", fmt::format("{:.2f}", watts / 2)},
      {"@load", std::to_string(i % 3 == 0 ? 0 : 97)},
      {"@joules", fmt::format("{:.0f}", 500 + 200.0 * i)},
      {"@number", std::to_string(i)}};
  for (const auto& [word, value] : words) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + value.size()))
      text.replace(at, word.size(), value);
  }
  return text;
}

/// Returns the head, the line with the values of each second, and the tail.
inline std::string template_log(const std::string& head, const std::string& line,
                                const std::string& tail = "") {
  std::string text = filled(head, 0);
  for (int i = 0; i < kTemplateLines; ++i) text += filled(line, i);
  return text + filled(tail, kTemplateLines - 1);
}

}  // namespace gpubench::test
