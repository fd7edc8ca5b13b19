#pragma once
// A log of power, and what puts its readings in order: what all formats have in common.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "power/log/stamp.h"
#include "power/log/trace.h"

namespace gpubench {

/// How to read a log.
struct PowerLogOptions {
  std::string format = "auto";             ///< "auto", or a name of power_log_formats().
  std::vector<std::string> power_columns;  ///< "NAME" or "NAME:mW" of a table; empty: by their headings.
  std::optional<Seconds> utc_offset;  ///< Of stamps without a zone: local time minus UTC; unset: see below.
  Seconds clock_offset{0};            ///< Added to every stamp: by how much the log's clock was behind.
};

/// A log, as one trace for each part in it. Times are seconds since 1970-01-01 UTC, or of the run's own
/// clock where `is_monotonic`. Stamps that have no zone are taken for this machine's local time unless
/// `utc_offset` is set. Samples are sorted, and of equal stamps the last one counts.
struct PowerLog {
  std::string format;
  bool is_monotonic = false;
  std::vector<PowerTrace> traces;
  std::vector<std::string> notes;  ///< What was mended: lines left out, unordered or repeated stamps.
};

/// A reading without values. Its reasons are short, since a log may have millions of them.
PowerReading blank_reading();

/// Collects readings by part.
class TraceCollector {
 public:
  explicit TraceCollector(const PowerLogOptions& options) : options_(options) {}

  /// By the clock of the log, put right as the options say.
  Seconds mended(Seconds time) const { return time + options_.clock_offset; }
  /// Likewise, and turned into UTC.
  Seconds to_utc(const Stamp& stamp);

  /// Adds a sample of the part called `key`; asks for `facts` where that is new. Throws a data Error for more
  /// power than anything of that scope takes.
  void add(const std::string& key, const std::function<PowerSourceFacts()>& facts, PowerSample sample,
           std::size_t line);

  const PowerLogOptions& options() const { return options_; }
  /// Ends the message about a power that is too high.
  void set_unit_hint(std::string hint) { unit_hint_ = std::move(hint); }
  /// Ends the message about several sensors that cannot be told apart.
  void set_recording_hint(std::string hint) { recording_hint_ = std::move(hint); }
  /// Counts a line that is not a reading, such as an error message of the driver. `why` ends a sentence.
  void skip(std::size_t line, std::string_view text, const std::string& why);
  /// For a log that ends within a line.
  void leave_out_end() { is_cut_ = true; }
  void note(std::string text) { notes_.push_back(std::move(text)); }
  /// The times of samples are better than their stamps of whole seconds.
  void keep_times() { has_fractions_ = true; }

  /// Sorts, keeps the last of equal stamps, notes what was done. Throws a data Error for a log without power,
  /// with many foreign lines, or with readings of several sensors that it does not tell apart.
  void finish(PowerLog& log);

 private:
  Seconds offset_at(Seconds local);
  std::string zone_note() const;
  void refuse_foreign_lines() const;
  void sort(PowerTrace& trace);

  const PowerLogOptions& options_;
  std::map<double, Seconds> own_offsets_;  ///< By quarter of an hour: asking the system takes long.
  std::set<double> used_offsets_;          ///< Of stamps without a zone.
  bool has_fractions_ = false;
  bool is_cut_ = false;
  std::string unit_hint_ = "correct or remove the line";
  std::string recording_hint_ = "record each of them with its name or index";
  std::size_t skipped_ = 0;
  std::string first_skipped_;  ///< With its line number and the reason.
  std::vector<std::string> notes_;

  std::map<std::string, std::size_t> index_;
  std::vector<PowerTrace> traces_;
  std::size_t samples_ = 0;
  std::size_t unordered_ = 0;
  std::size_t repeated_ = 0;
};

}  // namespace gpubench
