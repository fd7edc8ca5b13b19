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

/// Turns stamps into UTC as the options say.
class StampReader {
 public:
  explicit StampReader(const PowerLogOptions& options) : options_(options) {}
  Seconds utc_of(const Stamp& stamp);
  /// How stamps without a zone were read; empty where there was none.
  std::string note() const;

 private:
  Seconds offset_at(Seconds local);

  const PowerLogOptions& options_;
  std::map<double, Seconds> own_offsets_;  ///< By quarter of an hour: asking the system takes long.
  std::set<double> used_offsets_;
};

/// Collects readings by part.
class TraceCollector {
 public:
  /// Where readings of the part called `key` go; asks for `facts` where it is new.
  std::size_t trace(const std::string& key, const std::function<PowerSourceFacts()>& facts, std::size_t line);
  void add(std::size_t trace, PowerSample sample, std::size_t line);

  /// Sorts, keeps the last of equal stamps, notes what was done. Throws where nothing has a value.
  void finish(PowerLog& log);

 private:
  void sort(PowerTrace& trace);

  std::map<std::string, std::size_t> index_;
  std::vector<PowerTrace> traces_;
  std::size_t samples_ = 0;
  std::size_t unordered_ = 0;
  std::size_t repeated_ = 0;
};

}  // namespace gpubench
