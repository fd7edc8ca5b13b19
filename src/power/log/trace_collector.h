#pragma once
// Puts the readings of a log in order: what all formats have in common.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "power/log/power_log.h"
#include "power/log/stamp.h"

namespace gpubench {

/// A reading of which the log tells nothing. Short, since a log may have millions of them.
PowerReading blank_reading();

/// Collects readings by part.
class TraceCollector {
 public:
  explicit TraceCollector(const PowerLogOptions& options) : options_(options) {}

  /// By the clock of the log, put right as the options say.
  Seconds mended(Seconds time) const { return time + options_.clock_offset; }
  /// Likewise, and turned into UTC.
  Seconds utc_of(const Stamp& stamp);

  /// A sample of the part called `key`; asks for `facts` where that is new.
  void add(const std::string& key, const std::function<PowerSourceFacts()>& facts, PowerSample sample,
           std::size_t line);

  /// For a log that ends within a line.
  void leave_out_end() { is_cut_ = true; }
  void note(std::string text) { notes_.push_back(std::move(text)); }

  /// Sorts, keeps the last of equal stamps, notes what was done. Throws where nothing has a value.
  void finish(PowerLog& log);

 private:
  Seconds offset_at(Seconds local);
  std::string zone_note() const;
  void sort(PowerTrace& trace);

  const PowerLogOptions& options_;
  std::map<double, Seconds> own_offsets_;  ///< By quarter of an hour: asking the system takes long.
  std::set<double> used_offsets_;          ///< Of stamps without a zone.
  bool is_cut_ = false;
  std::vector<std::string> notes_;

  std::map<std::string, std::size_t> index_;
  std::vector<PowerTrace> traces_;
  std::size_t samples_ = 0;
  std::size_t unordered_ = 0;
  std::size_t repeated_ = 0;
};

}  // namespace gpubench
