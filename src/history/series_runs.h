#pragma once

#include <cstdint>
#include <map>

#include "history/history.h"

namespace gpubench {

/// Rows of stored runs by their series. Each run is read once: one change of a machine is in many series.
class SeriesRuns {
 public:
  explicit SeriesRuns(const Store& store) : store_(store) {}

  /// Returns the row, valid as long as this object; nullptr if the run has no row of the series.
  const SeriesRun* find(RunId run, std::int64_t series);

 private:
  using Rows = std::map<std::int64_t, SeriesRun>;

  Rows load(RunId id) const;

  const Store& store_;
  std::map<RunId, Rows> runs_;
};

}  // namespace gpubench
