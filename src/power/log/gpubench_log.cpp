// Power log written by gpubench (--power-log).

#include <algorithm>
#include <cmath>

#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"
#include "power/log/readers.h"

namespace gpubench {
namespace gpubench_log {
namespace {

constexpr std::size_t kColumns = 11;
using Fields = std::vector<std::string_view>;

/// Reads a number within a limit that keeps sums of readings finite.
double number_in(std::string_view field, std::size_t line) {
  constexpr double kMost = 1e15;
  const std::optional<double> value = parse_decimal(field);
  if (value && std::abs(*value) <= kMost) return *value;
  refuse_line(line, "{} is not a number up to {}; remove the line", shown(field), kMost);
}

PowerReading make_reading(const Fields& fields, std::size_t line) {
  PowerReading reading = power_reading(missing("not in the log"));
  const auto take = [&]<class Unit>(Measured<Unit>& value, std::size_t at) {
    if (!fields[at].empty()) value = Unit{number_in(fields[at], line)};
  };
  take(reading.energy, 5);
  take(reading.power, 6);
  take(reading.temperature, 7);
  take(reading.clock, 8);
  take(reading.limit, 9);
  reading.throttle = fields[10];
  std::ranges::replace(reading.throttle, ';', ',');
  return reading;
}

PowerSourceFacts make_facts(const Fields& fields, std::size_t line) {
  PowerSourceFacts facts{.meter = std::string(fields[1]),
                         .part = std::string(fields[2]),
                         .device = std::string(fields[3]),
                         .power_quantity = "power"};
  if (facts.meter.empty()) refuse_line(line, "the second field names no meter; remove the line");
  try {
    facts.scope = value_named<PowerScope>(std::string(fields[4]));
  } catch (const Error& error) {
    refuse_line(line, "{}", error.what());
  }
  return facts;
}

void add_line(std::string_view line, std::size_t number, LogBuilder& builder) {
  const Fields fields = split_fields(line, ',');
  if (fields.size() != kColumns) {
    refuse_line(number, "has {} fields instead of {}; remove the line or record again", fields.size(),
                kColumns);
  }
  const Seconds time{number_in(fields[0], number)};
  // Meter, part, device and scope identify the source.
  const std::string key = fmt::format("{}\n{}\n{}\n{}", fields[1], fields[2], fields[3], fields[4]);
  builder.add(
      key, [&] { return make_facts(fields, number); }, {time, make_reading(fields, number)}, number);
}

template <class T>
std::string field(const Measured<T>& reading) {
  return reading.has_value() ? fmt::format("{}", reading.value().value) : "";
}

/// Returns the text with separators of fields and lines replaced by blanks.
std::string field(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return is_control(c) || c == ',' || c == '"'; }, ' ');
  return std::string(trimmed(text));
}

}  // namespace

void read(const std::string& text, LogBuilder& builder) {
  for (TextLines lines(text, &builder); lines.next();) {
    // Appended logs repeat the heading.
    const bool is_heading = lines.line() == kRawLogHeader;
    if (!lines.line().empty() && !is_heading) add_line(lines.line(), lines.number(), builder);
  }
}

}  // namespace gpubench_log

std::string raw_log_line(const PowerSourceFacts& facts, const PowerSample& sample) {
  const PowerReading& reading = sample.reading;
  std::string throttle = reading.throttle;
  std::ranges::replace(throttle, ',', ';');
  using gpubench_log::field;
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", sample.time.value, field(facts.meter),
                     field(facts.part), field(facts.device), to_string(facts.scope), field(reading.energy),
                     field(reading.power), field(reading.temperature), field(reading.clock),
                     field(reading.limit), field(throttle));
}

}  // namespace gpubench
