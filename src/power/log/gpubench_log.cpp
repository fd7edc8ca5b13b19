// The log that gpubench writes itself.

#include <algorithm>
#include <array>
#include <charconv>

#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"
#include "power/log/trace_collector.h"

namespace gpubench::gpubench_log_plugin {
namespace {

constexpr std::size_t kColumns = 11;
using Fields = std::vector<std::string_view>;

double number_in(std::string_view field, const char* what, double least, double most, std::size_t line) {
  const std::optional<double> value = parse_decimal(field);
  if (!value) refuse_line(line, "{} is no number of {}; remove the line", shown(field), what);
  if (*value >= least && *value <= most) return *value;
  refuse_line(line, "{} {} is not between {} and {}; remove the line", field, what, least, most);
}

template <class Unit>
void take(Measured<Unit>& reading, std::string_view field, const char* what, double least, double most,
          std::size_t line) {
  if (!field.empty()) reading = Unit{number_in(field, what, least, most, line)};
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string text_in(std::string_view field) { return replaced(std::string(field), "\"\"", "\""); }

PowerReading make_reading(const Fields& fields, std::size_t line) {
  PowerReading reading = blank_reading();
  take(reading.energy, fields[5], "joules", 0, 1e15, line);
  take(reading.power, fields[6], "watts", 0, 1e6, line);
  take(reading.temperature, fields[7], "degrees Celsius", -100, 1000, line);
  take(reading.clock, fields[8], "hertz", 0, 1e12, line);
  take(reading.limit, fields[9], "watts", 0, 1e6, line);
  reading.throttle = replaced(text_in(fields[10]), "+", ", ");
  return reading;
}

PowerSourceFacts make_facts(const Fields& fields, std::size_t line) {
  PowerSourceFacts facts{.meter = text_in(fields[1]),
                         .part = text_in(fields[2]),
                         .device = text_in(fields[3]),
                         .power_quantity = "power",
                         .is_replayed = true};
  if (facts.meter.empty()) refuse_line(line, "names no meter in its second field; remove it");
  try {
    facts.scope = value_named<PowerScope>(std::string(fields[4]));
  } catch (const Error& error) {
    refuse_line(line, "{}", error.what());
  }
  return facts;
}

bool is_like(const std::string& text) { return text.starts_with(kRawLogHeader); }

void add_line(std::string_view line, std::size_t number, TraceCollector& collector) {
  const Fields fields = split_fields(line, ',');
  if (fields.size() != kColumns) {
    refuse_line(number, "has {} fields where {} belong; remove it, or record anew", fields.size(), kColumns);
  }
  const double time = number_in(fields[0], "seconds", 0, 1e10, number);
  // Meter, part, device and scope together say what was read.
  const std::string key = fmt::format("{}\n{}\n{}\n{}", fields[1], fields[2], fields[3], fields[4]);
  collector.add(
      key, [&] { return make_facts(fields, number); },
      {collector.corrected(Seconds{time}), make_reading(fields, number)}, number);
}

void collect(const std::string& text, TraceCollector& collector) {
  for (TextLines lines(text, &collector); lines.next();) {
    // A second heading comes from a log that was appended to.
    const bool is_heading = lines.line() == kRawLogHeader;
    if (!lines.line().empty() && !is_heading) add_line(lines.line(), lines.number(), collector);
  }
}

/// Formats the shortest text that reads as the same number, whatever the locale.
std::string number(double value) {
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  return {text.data(), end};
}

template <class T>
std::string field(const Measured<T>& reading) {
  return reading.has_value() ? number(reading.value().value) : "";
}

std::string field(std::string text) {
  std::ranges::replace_if(text, is_control, ' ');
  const bool is_plain = text.find_first_of(",\"") == std::string::npos && trimmed(text).size() == text.size();
  if (is_plain) return text;
  return '"' + replaced(text, "\"", "\"\"") + '"';
}

}  // namespace

PowerLogFormat entry_gpubench_log() { return {"gpubench", true, is_like, collect}; }

std::string raw_log_line(const PowerSourceFacts& facts, const PowerSample& sample) {
  const PowerReading& reading = sample.reading;
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", number(sample.time.value), field(facts.meter),
                     field(facts.part), field(facts.device), to_string(facts.scope), field(reading.energy),
                     field(reading.power), field(reading.temperature), field(reading.clock),
                     field(reading.limit), field(replaced(reading.throttle, ", ", "+")));
}

}  // namespace gpubench::gpubench_log_plugin
