// Lines by patterns: pages, blocks and sections.

#include <algorithm>
#include <set>

#include "power/log/readers.h"

namespace gpubench::line_reader {
namespace {

constexpr std::size_t kLinesToRecognize = 500;

/// Calls `use(pattern, field, text)` for each placeholder that the line has.
template <class Use>
void find_texts(const LogFormat& format, std::string_view line, Use use) {
  std::size_t first_field = 0;
  for (std::size_t i = 0; i < format.lines.size(); ++i) {
    const Pattern& pattern = format.lines[i];
    std::size_t end = 0;
    for (std::string_view rest = line; const auto texts = pattern.match(rest, &end);
         rest.remove_prefix(end)) {
      if (pattern.is_bare() && !parse_stamp(texts->front()).has_value()) break;
      if (texts->empty()) use(i, first_field, std::string_view());
      for (std::size_t at = 0; at < texts->size(); ++at) use(i, first_field + at, (*texts)[at]);
      if (!pattern.is_repeated() || end == 0) break;
    }
    first_field += pattern.placeholders().size();
  }
}

bool is_power(const LogFormat& format, std::size_t field) {
  return field < format.fields.size() && format.fields[field].role == LogRole::kPower;
}

/// Returns the powers that stand for their parts: of each part the first in the format that has a value.
std::set<std::size_t> find_powers(const std::string& text, const LogFormat& format) {
  std::map<std::string, std::size_t> best;  // By part.
  std::map<std::string, std::size_t> any;
  std::size_t count = 0;
  for (std::size_t field = 0; field < format.fields.size(); ++field) {
    if (!is_power(format, field)) continue;
    any.try_emplace(format.fields[field].facts.part, field);
    ++count;
  }
  const bool is_unique = any.size() == count;
  for (TextLines lines(is_unique ? std::string_view() : text); lines.next();) {
    find_texts(format, lines.line(), [&](std::size_t, std::size_t field, std::string_view value) {
      if (!is_power(format, field) || value.find_first_of("0123456789") == value.npos) return;
      auto& least = best.try_emplace(format.fields[field].facts.part, field).first->second;
      least = std::min(least, field);
    });
  }
  best.insert(any.begin(), any.end());
  std::set<std::size_t> powers;
  for (const auto& [part, field] : best) powers.insert(field);
  return powers;
}

/// Passes a record with one of its powers.
void take(const LogFormat& format, LogRecord& record, std::size_t power, std::string_view watts,
          LogBuilder& builder) {
  record.values[power] = watts;
  builder.take(format, record);
  record.values[power].reset();
}

}  // namespace

bool has_signature(const std::string& text, const LogFormat& format) {
  bool has_first = false;
  bool has_power = false;
  try {
    for (TextLines lines(text);
         lines.next() && lines.number() <= kLinesToRecognize && !(has_first && has_power);) {
      find_texts(format, lines.line(), [&](std::size_t pattern, std::size_t field, std::string_view) {
        has_first = has_first || pattern == 0;
        has_power = has_power || is_power(format, field);
      });
    }
  } catch (const Error&) {
    return false;  // Not a text.
  }
  return has_first && has_power;
}

void read(const std::string& text, const LogFormat& format, LogBuilder& builder) {
  const std::set<std::size_t> powers = find_powers(text, format);
  LogRecord record;
  std::vector<std::pair<std::size_t, std::string_view>>
      pending;                 // Powers of the record, until its line ends.
  std::set<std::string> seen;  // Parts of the record that have a power.
  bool has_time = false;
  for (TextLines lines(text, &builder); lines.next();) {
    record.line = lines.number();
    record.text = lines.line();
    bool is_first = true;
    find_texts(format, lines.line(), [&](std::size_t pattern, std::size_t field, std::string_view value) {
      // The first pattern begins a record.
      if (pattern == 0 && is_first) {
        record.values.assign(format.fields.size(), std::nullopt);
        pending.clear();
        seen.clear();
        has_time = false;
      }
      is_first = false;
      if (record.values.empty() || field >= format.fields.size()) return;
      const LogField& one = format.fields[field];
      if (one.role == LogRole::kPower) {
        if (powers.contains(field) && (one.facts.part.empty() || seen.insert(one.facts.part).second))
          pending.emplace_back(field, value);
        return;
      }
      if (one.role == LogRole::kPart && has_time)  // Rails of one line.
        for (const auto& [power, watts] : std::exchange(pending, {}))
          take(format, record, power, watts, builder);
      record.values[field] = value;
      has_time = has_time || one.role == LogRole::kTime;
      // A new device has its own readings.
      if (one.role == LogRole::kDevice || one.role == LogRole::kPci || one.role == LogRole::kUuid)
        seen.clear();
    });
    for (const auto& [power, watts] : has_time ? std::exchange(pending, {}) : decltype(pending)())
      take(format, record, power, watts, builder);
    // Pages have other lines.
    if (is_first && format.lines.size() == 1 && !lines.line().empty())
      builder.skip(lines.number(), lines.line(), "has no power");
  }
}

}  // namespace gpubench::line_reader
