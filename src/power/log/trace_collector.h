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

/// Throws a data Error: "line 7: what", which is a format and its values.
template <class... Values>
[[noreturn]] void refuse_line(std::size_t number, fmt::format_string<Values...> what, Values&&... values) {
  throw Error(ErrorKind::kData, "line {}: {}", number, fmt::format(what, std::forward<Values>(values)...));
}

/// Reads a stamp. Throws a data Error with the line for other texts.
Stamp require_stamp(std::string_view text, std::size_t line);

/// Returns true for characters that no line of text has; a tab is allowed.
bool is_control(char character);

std::string shown(std::string_view text);

/// Makes a reading of power alone. Other reasons are short, since a log may have millions of them.
PowerReading power_reading(Measured<Watts> power);

class TraceCollector {
 public:
  explicit TraceCollector(const PowerLogOptions& options) : options_(options) {}

  const PowerLogOptions& options() const { return options_; }

  Seconds to_utc(const Stamp& stamp);

  /// Adds a sample of part `key`, with `facts` if new. Throws a data Error for impossible power.
  void add(const std::string& key, const std::function<PowerSourceFacts()>& facts, PowerSample sample,
           std::size_t line);

  /// Readings of a part with one stamp of whole seconds follow each other: the format tells sensors apart.
  void keep_equal_stamps() { keeps_equal_ = true; }

  /// Counts a line that is not a reading, such as an error message of the driver. `why` ends a sentence.
  void skip(std::size_t line, std::string_view text, const std::string& why);
  /// Notes that the log ends within a line.
  void leave_out_end() { is_cut_ = true; }

  /// Sorts, and keeps the last of equal stamps. Throws a data Error for a log without usable readings.
  void finish(PowerLog& log);

 private:
  void sort(PowerTrace& trace, bool is_coarse);
  void add_notes(std::vector<std::string>& notes, bool is_coarse) const;

  const PowerLogOptions& options_;
  std::set<double> utc_offsets_;  ///< Of stamps without a zone.
  bool keeps_equal_ = false;
  bool has_fractions_ = false;
  bool is_cut_ = false;
  std::size_t skipped_ = 0;
  std::string first_skipped_;  ///< With its line number and the reason.

  std::map<std::string, std::size_t> index_;
  std::vector<PowerTrace> traces_;
  std::size_t samples_ = 0;
  std::size_t unordered_ = 0;
  std::size_t repeated_ = 0;
  std::ptrdiff_t empty_ = 0;  ///< Samples without a value.
};

/// Reads lines of at most 64 KiB; refuses binary data. Drops a last line without an end.
class TextLines {
 public:
  explicit TextLines(std::string_view text, TraceCollector* collector = nullptr)
      : rest_(text), collector_(collector) {}

  bool next();
  /// Without its end and the spaces around.
  std::string_view line() const { return line_; }
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  TraceCollector* collector_;
  std::string_view line_;
  std::size_t number_ = 0;
};

}  // namespace gpubench
