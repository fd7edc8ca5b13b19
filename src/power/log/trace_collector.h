#pragma once
// Line reader and collector of readings for all log formats.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "power/log/power_log.h"
#include "power/log/values.h"

namespace gpubench {

/// Throws a data Error: "line 7: " and the formatted text.
template <class... Values>
[[noreturn]] void refuse_line(std::size_t number, fmt::format_string<Values...> what, Values&&... values) {
  throw Error(ErrorKind::kData, "line {}: {}", number, fmt::format(what, std::forward<Values>(values)...));
}

/// Reads a stamp. Throws a data Error that names the line if the text is not a stamp.
Stamp require_stamp(std::string_view text, std::size_t line);

/// Returns true for control characters except tabs.
bool is_control(char character);

/// Returns the text in quotes, shortened and without control characters, for messages.
std::string shown(std::string_view text);

/// Returns a reading of power only. Reasons of missing values are short, since logs may have millions.
PowerReading power_reading(Measured<Watts> power);

class TraceCollector {
 public:
  explicit TraceCollector(const PowerLogOptions& options) : options_(options) {}

  const PowerLogOptions& options() const { return options_; }

  Seconds to_utc(const Stamp& stamp);

  /// Adds a sample of part `key`; calls `facts` for a new part. Throws a data Error for implausible power.
  void add(const std::string& key, const std::function<PowerSourceFacts()>& facts, PowerSample sample,
           std::size_t line);

  /// Treats readings with equal stamps of whole seconds as successive, for formats with one sensor per part.
  void keep_equal_stamps() { keeps_equal_ = true; }

  /// Counts a line without a reading, such as a driver's message. `why` is a predicate: "has no power".
  void skip(std::size_t line, std::string_view text, const std::string& why);
  /// Records that the log ends within a line.
  void leave_out_end() { is_cut_ = true; }

  /// Moves the sorted traces to `log`. Throws a data Error for a log without usable readings.
  void finish(PowerLog& log);

 private:
  void sort(PowerTrace& trace, bool is_coarse);
  void add_notes(std::vector<std::string>& notes, bool is_coarse) const;

  const PowerLogOptions& options_;
  std::set<double> utc_offsets_;  ///< Offsets used for stamps without a zone.
  bool keeps_equal_ = false;
  bool has_fractions_ = false;
  bool is_cut_ = false;
  std::size_t skipped_ = 0;
  std::string first_skipped_;  ///< Text, line number and reason of the first skipped line.

  std::map<std::string, std::size_t> index_;
  std::vector<PowerTrace> traces_;
  std::size_t samples_ = 0;
  std::size_t unordered_ = 0;
  std::size_t repeated_ = 0;
  std::ptrdiff_t empty_ = 0;  ///< Samples without a value.
};

/// Reads lines. Throws a data Error for binary data and lines above 64 KiB. Ignores an incomplete last line.
class TextLines {
 public:
  explicit TextLines(std::string_view text, TraceCollector* collector = nullptr)
      : rest_(text), collector_(collector) {}

  bool next();
  /// Returns the line without surrounding blanks.
  std::string_view line() const { return line_; }
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  TraceCollector* collector_;
  std::string_view line_;
  std::size_t number_ = 0;
};

}  // namespace gpubench
