#include "compare/run_power_charts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "compare/case_names.h"
#include "gpubench/record/derived.h"
#include "report/table_notes.h"

namespace gpubench {
namespace {

/// More charts than this are not looked at, and more lines in one cannot be told apart.
constexpr std::size_t kMostCharts = 4;
constexpr std::size_t kMostLines = 8;

/// Fewer points than this tell nothing that the table does not.
constexpr std::size_t kLeastPoints = 4;

double length_of(const CaseRecord& c) {
  return std::accumulate(c.epoch_seconds.begin(), c.epoch_seconds.end(), 0.0);
}

/// The cases of which any source has values in the list, longest first.
std::vector<const CaseRecord*> longest(const RunRecord& run, std::vector<double> EnergyRecord::*list) {
  std::vector<const CaseRecord*> cases;
  for (const CaseRecord& c : run.cases) {
    const bool has_values = std::any_of(c.energy.begin(), c.energy.end(), [&](const EnergyRecord& source) {
      return (source.*list).size() >= kLeastPoints;
    });
    if (has_values) cases.push_back(&c);
  }
  std::stable_sort(cases.begin(), cases.end(),
                   [](const CaseRecord* a, const CaseRecord* b) { return length_of(*a) > length_of(*b); });
  return cases;
}

Series watts_of(const EnergyRecord& source) {
  const std::string part = source.part.empty() ? "" : " " + source.part;
  Series series{one_line(source.meter + part), {}};
  if (!source.watts_start.has_value() || !source.watts_step.has_value()) return series;
  const double step = source.watts_step.value().value;
  for (std::size_t i = 0; i < source.watts.size(); ++i) {
    const double middle = source.watts_start.value().value + (static_cast<double>(i) + 0.5) * step;
    if (std::isfinite(source.watts[i])) series.points.push_back({middle, source.watts[i]});
  }
  return series;
}

std::optional<Phase> phase_called(const std::string& name, const CaseRecord& c) {
  const auto found = std::find_if(c.timeline.begin(), c.timeline.end(),
                                  [&](const Phase& phase) { return phase.name == name; });
  return found == c.timeline.end() ? std::nullopt : std::optional(*found);
}

/// Where the epochs that count begin and end; nothing where the timeline does not tell.
std::vector<Mark> marks_of(const CaseRecord& c) {
  const auto epochs = static_cast<std::int64_t>(c.epoch_seconds.size());
  if (c.warmup_epochs < 0 || c.warmup_epochs >= epochs) return {};
  const auto first = phase_called("epoch " + std::to_string(c.warmup_epochs + 1), c);
  const auto last = phase_called("epoch " + std::to_string(epochs), c);
  if (!first || !last) return {};
  const auto tenths = [](double seconds) { return std::round(10 * seconds) / 10; };
  return {{tenths(first->start.value), "timed from here"},
          {tenths(last->start.value + last->duration.value), "to here"}};
}

/// Of the source of the case's device, or of one that does not tell whose it is.
const std::vector<double>* state_of(const CaseRecord& c, std::vector<double> EnergyRecord::*list) {
  for (const EnergyRecord& source : c.energy) {
    const bool is_of_device = source.device.empty() || source.device == c.device;
    if (is_of_device && (source.*list).size() >= kLeastPoints) return &(source.*list);
  }
  return nullptr;
}

void add_state_chart(const RunRecord& run, std::vector<double> EnergyRecord::*list, double unit, Chart chart,
                     std::vector<Chart>& charts) {
  const CaseNames names(run.cases);
  for (const CaseRecord* c : longest(run, list)) {
    const std::vector<double>* values = state_of(*c, list);
    if (values == nullptr || chart.series.size() == kMostLines) continue;
    Series series{names.whole(*c), {}};
    for (std::size_t i = 0; i < values->size(); ++i) {
      if (std::isfinite((*values)[i]))
        series.points.push_back({static_cast<double>(i + 1), (*values)[i] / unit});
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  if (!chart.series.empty()) charts.push_back(std::move(chart));
}

}  // namespace

std::vector<Chart> power_charts(const RunRecord& run) {
  const CaseNames names(run.cases);
  std::vector<Chart> charts;
  for (const CaseRecord* c : longest(run, &EnergyRecord::watts)) {
    Chart chart{
        "Power of " + names.whole(*c), ChartKind::kLines, {"time since its start", "s"}, {"power", "W"}, {}};
    for (const EnergyRecord& source : c->energy) {
      Series series = watts_of(source);
      if (!series.points.empty()) chart.series.push_back(std::move(series));
    }
    chart.marks = marks_of(*c);
    if (!chart.series.empty() && charts.size() < kMostCharts) charts.push_back(std::move(chart));
  }
  return charts;
}

std::vector<Chart> state_charts(const RunRecord& run) {
  std::vector<Chart> charts;
  add_state_chart(run, &EnergyRecord::epoch_celsius, 1,
                  {"Temperature by epoch", ChartKind::kLines, {"epoch"}, {"highest temperature", "°C"}, {}},
                  charts);
  add_state_chart(run, &EnergyRecord::epoch_hertz, 1e6,
                  {"Clock by epoch", ChartKind::kLines, {"epoch"}, {"mean clock", "MHz"}, {}}, charts);
  return charts;
}

}  // namespace gpubench
