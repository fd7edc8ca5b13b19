#include "history/series_runs.h"

#include <utility>

namespace gpubench {

const SeriesRun* SeriesRuns::find(RunId run, std::int64_t series) {
  auto known = runs_.find(run);
  if (known == runs_.end()) known = runs_.emplace(run, load(run)).first;
  const auto row = known->second.find(series);
  return row == known->second.end() ? nullptr : &row->second;
}

SeriesRuns::Rows SeriesRuns::load(RunId id) const {
  const RunRecord run = store_.load_run(id);
  Rows rows;
  for (Candidate& candidate : make_candidates(run, "")) {
    // Runs of a history come one after the other: that is no difference.
    candidate.first_start.clear();
    candidate.last_start.clear();
    const std::vector<RowFigures> figures = std::exchange(candidate.rows, {});
    for (const RowFigures& row : figures) {
      const std::string key = series_key(row, candidate, run.environment);
      if (const auto series = find_series(store_, key)) rows.emplace(*series, SeriesRun{candidate, row});
    }
  }
  return rows;
}

}  // namespace gpubench
