#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compare/candidate.h"
#include "history/history.h"

namespace gpubench {

/// Rows of stored runs by their series. Each run is read once: one change of the machine is in many series.
class SeriesRuns {
 public:
  explicit SeriesRuns(const Store& store) : store_(store) {}

  /// Returns the row with its candidate, valid as long as this object; null ones if the run lacks the series.
  CandidateRow find_row(RunId run, std::int64_t series);

 private:
  struct Rows {
    std::vector<Candidate> candidates{};
    std::map<std::int64_t, CandidateRow> by_series{};  // Points into the candidates.
  };

  Rows load(RunId id) const;

  const Store& store_;
  std::map<RunId, Rows> runs_;
};

}  // namespace gpubench
