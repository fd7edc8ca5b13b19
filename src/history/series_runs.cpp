#include "history/series_runs.h"

namespace gpubench {

CandidateRow SeriesRuns::find_row(RunId run, std::int64_t series) {
  auto known = runs_.find(run);
  if (known == runs_.end()) known = runs_.emplace(run, load(run)).first;
  const auto row = known->second.by_series.find(series);
  return row == known->second.by_series.end() ? CandidateRow{} : row->second;
}

SeriesRuns::Rows SeriesRuns::load(RunId id) const {
  const RunRecord run = store_.load_run(id);
  Rows rows{make_candidates(run, "")};
  for (const CandidateRow& row : make_rows(rows.candidates)) {
    const std::string key = series_key(*row.figures, *row.candidate, run.environment);
    if (const auto series = find_series(store_, key)) rows.by_series.emplace(*series, row);
  }
  return rows;
}

}  // namespace gpubench
