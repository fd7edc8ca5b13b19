#include <array>
#include <charconv>

#include "power/log/power_log.h"

namespace gpubench {
namespace {

/// The shortest text that reads as the same number, whatever the locale.
std::string number(double value) {
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  return {text.data(), end};
}

template <class T>
std::string field(const Reading<T>& reading) {
  return reading.has_value() ? number(reading.value().value) : "";
}

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string joined_by_plus(std::string text) {
  for (auto at = text.find(", "); at != std::string::npos; at = text.find(", ", at)) text.replace(at, 2, "+");
  return text;
}

}  // namespace

std::string raw_log_line(const PowerSourceFacts& facts, const PowerSample& sample) {
  const PowerReading& reading = sample.reading;
  return number(sample.time.value) + ',' + field(facts.meter) + ',' + field(facts.part) + ',' +
         field(facts.device) + ',' + to_string(facts.scope) + ',' + field(reading.energy) + ',' +
         field(reading.power) + ',' + field(reading.temperature) + ',' + field(reading.clock) + ',' +
         field(reading.limit) + ',' + field(joined_by_plus(reading.throttle)) + '\n';
}

}  // namespace gpubench
