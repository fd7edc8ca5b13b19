#pragma once
// Line reader, and builder of a power log from the records of any format.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "power/log/log_format.h"
#include "power/log/power_log.h"
#include "power/log/values.h"

namespace gpubench {

/// Throws a data Error: "line 7: " and the formatted text.
template <class... Values>
[[noreturn]] void refuse_line(std::size_t number, fmt::format_string<Values...> what, Values&&... values) {
  throw Error(ErrorKind::kData, "line {}: {}", number, fmt::format(what, std::forward<Values>(values)...));
}

/// Returns true for control characters except tabs.
bool is_control(char character);

/// Returns the text in quotes, shortened and without control characters, for messages.
std::string shown(std::string_view text);

/// Returns a reading of power only. Reasons of missing values are short, since logs may have millions.
PowerReading power_reading(Measured<Watts> power);

/// Values of a moment.
struct LogRecord {
  std::size_t line = 0;                                   ///< Number of the line, from 1.
  std::string_view text{};                                ///< Line, for messages.
  std::vector<std::optional<std::string_view>> values{};  ///< One per field of the format.
};

class LogBuilder {
 public:
  explicit LogBuilder(const PowerLogOptions& options) : options_(options) {}

  /// Adds the readings of a record. Skips it if its time is none, and throws a data Error for a wrong power.
  void take(const LogFormat& format, const LogRecord& record);

  /// Adds a sample of part `key`; calls `facts` for a new part. Throws a data Error for implausible power.
  void add(const std::string& key, const std::function<PowerSourceFacts()>& facts, PowerSample sample,
           std::size_t line);

  /// Counts a line without a reading, such as a driver's message. `why` is a predicate: "has no power".
  void skip(std::size_t line, std::string_view text, const std::string& why);
  /// Records that the log ends within a line.
  void leave_out_end() { is_cut_ = true; }

  /// Moves the sorted traces to `log`. Throws a data Error for a log without usable readings.
  void finish(PowerLog& log);

 private:
  /// Source of a record: its device, host and part.
  struct Source {
    GpuIdentity gpu{};
    std::string host{}, part{}, name{};
    bool has_device = false;
    std::string key{};
  };

  Seconds to_utc(const Stamp& stamp);
  Source find_source(const LogFormat& format, const LogRecord& record, const Stamp& stamp);
  void add_guess(const LogField& field, std::string_view text, const Stamp& stamp);
  Measured<Watts> read_watts(const LogField& field, std::string_view text, std::size_t line);
  void check_guess() const;
  void sort(PowerTrace& trace, bool is_coarse);
  void add_notes(std::vector<std::string>& notes, bool is_coarse) const;

  const PowerLogOptions& options_;
  std::set<double> utc_offsets_;  // Used for stamps without a zone.
  bool keeps_equal_ = false;      // Equal stamps of whole seconds are successive readings.
  bool has_fractions_ = false;
  bool is_cut_ = false;
  std::size_t skipped_ = 0;
  std::string first_skipped_;  // Text, line number and reason of the first skipped line.

  std::map<std::string, bool> has_unit_;        // True if the powers of this place have units.
  std::string guess_;                           // Column that perhaps tells devices apart.
  std::set<std::string, std::less<>> guessed_;  // Its values.
  std::vector<PowerSample> guess_samples_;      // Times of its rows.

  std::map<std::string, std::size_t> index_;
  std::vector<PowerTrace> traces_;
  std::size_t samples_ = 0;
  std::size_t unordered_ = 0;
  std::size_t repeated_ = 0;
  std::ptrdiff_t empty_ = 0;  // Samples without a value.
};

/// Reads lines. Throws a data Error for binary data and lines above 64 KiB. Ignores an incomplete last line.
class TextLines {
 public:
  explicit TextLines(std::string_view text, LogBuilder* builder = nullptr) : rest_(text), builder_(builder) {}

  bool next();
  /// Returns the line without surrounding blanks.
  std::string_view line() const { return line_; }
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  LogBuilder* builder_;
  std::string_view line_;
  std::size_t number_ = 0;
};

}  // namespace gpubench
