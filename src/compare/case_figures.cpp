#include "compare/case_figures.h"

#include <algorithm>
#include <cmath>

#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

std::optional<Interval> known(const Reading<Interval>& interval) {
  return interval.has_value() ? std::optional(interval.value()) : std::nullopt;
}

CaseFigure figure_of(const CaseRecord& c, const std::vector<RepeatGroup>& groups) {
  const RowIdentity identity = identity_of(c);
  for (const RepeatGroup& group : groups) {
    if (group.identity == identity) return {&c, group.summary.median, known(group.interval)};
  }
  const auto epochs = epoch_summary(c);
  return {&c, epochs.has_value() ? epochs.value().median : 0, known(epoch_interval(c))};
}

bool has_figure_of(const std::vector<CaseFigure>& figures, const CaseRecord& c) {
  return std::any_of(figures.begin(), figures.end(),
                     [&](const CaseFigure& figure) { return identity_of(*figure.record) == identity_of(c); });
}

}  // namespace

std::optional<double> CaseFigure::rate() const {
  if (record->train_samples <= 0) return std::nullopt;
  return static_cast<double>(record->train_samples) / seconds;
}

std::vector<CaseFigure> case_figures(const RunRecord& run) {
  const std::vector<RepeatGroup> groups = repeat_groups(run);
  std::vector<CaseFigure> figures;
  for (const CaseRecord& c : run.cases) {
    if (c.status != CaseStatus::kOk || has_figure_of(figures, c)) continue;
    const CaseFigure figure = figure_of(c, groups);
    if (std::isfinite(figure.seconds) && figure.seconds > 0) figures.push_back(figure);
  }
  return figures;
}

}  // namespace gpubench
