#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "history/history_page.h"
#include "pages/format.h"

namespace gpubench {
namespace {

struct ChangeRow {
  const SeriesTrend* trend;
  const TrendChange* change;  ///< Null for a series without one.

  const SeriesPoint& first() const { return trend->first_after(*change); }
  bool is_worse() const { return change->ratio.value > 1; }
};

/// Returns a row per change, and one for each series without a change.
std::vector<ChangeRow> list_all_changes(const Trends& trends) {
  std::vector<ChangeRow> rows;
  for (const SeriesTrend& trend : trends.series) {
    for (const TrendChange& change : trend.changes) rows.push_back({&trend, &change});
    if (trend.changes.empty()) rows.push_back({&trend, nullptr});
  }
  return rows;
}

/// Returns the last change of each series that has one.
std::vector<ChangeRow> list_last_changes(const Trends& trends) {
  std::vector<ChangeRow> rows;
  for (const SeriesTrend& trend : trends.series) {
    if (!trend.changes.empty()) rows.push_back({&trend, &trend.changes.back()});
  }
  return rows;
}

/// Returns "slower", "faster", "worse" or "better".
std::string direction(const ChangeRow& row) {
  return outcome_word(row.is_worse() ? Outcome::kWorse : Outcome::kBetter, 0,
                      row.trend->metric->use->metric_class);
}

/// Returns "since 2026-11-20, run 7".
std::string when(const ChangeRow& row) {
  return fmt::format("{}since {}, run {}", row.change->is_confirmed ? "" : "possibly ",
                     date_text(row.first().started_at), row.first().run);
}

/// Returns "8 to 20".
std::string range_text(const std::vector<std::size_t>& counts) {
  const auto [least, most] = std::ranges::minmax(counts);
  return least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
}

std::vector<std::string> split_name(std::string_view name) {
  std::vector<std::string> parts;
  for (std::size_t end = name.find(", "); end != name.npos; end = name.find(", ")) {
    parts.emplace_back(name.substr(0, end));
    name.remove_prefix(end + 2);
  }
  parts.emplace_back(name);
  return parts;
}

/// Returns the comma-separated parts that all names share; for a single name, all but the first.
std::vector<std::string> find_shared_parts(const Trends& trends) {
  if (trends.series.empty()) return {};
  std::vector<std::string> shared = split_name(trends.series.front().series.name);
  if (trends.series.size() == 1) shared.erase(shared.begin());
  for (const SeriesTrend& trend : trends.series) {
    const std::vector<std::string> own = split_name(trend.series.name);
    std::erase_if(shared, [&](const std::string& part) { return std::ranges::count(own, part) == 0; });
  }
  return shared;
}

std::string short_name(const SeriesTrend& trend, const std::vector<std::string>& shared) {
  std::vector<std::string> parts = split_name(trend.series.name);
  std::erase_if(parts, [&](const std::string& part) { return std::ranges::count(shared, part) > 0; });
  return parts.empty() ? trend.series.name : join(parts);
}

/// Returns "1 is slower, 2 are faster, 1 is possibly slower".
std::string count_directions(const std::vector<ChangeRow>& rows) {
  const auto words = mapped(rows, [](const ChangeRow& row) {
    return std::string(row.change->is_confirmed ? "" : "possibly ") + direction(row);
  });
  return join(mapped(grouped(words, [](const std::string& word) { return word; }), [](const auto& group) {
    return fmt::format("{} {} {}", group.second.size(), group.second.size() == 1 ? "is" : "are", group.first);
  }));
}

std::size_t count_judged(const Trends& trends) {
  return static_cast<std::size_t>(std::ranges::count_if(trends.series, &SeriesTrend::has_enough_runs));
}

std::vector<Paragraph> summarize_trends(const Trends& trends) {
  if (trends.series.empty())
    return {
        caution("No run has this metric: run a benchmark, or import results with 'gpubench history "
                "import'.")};
  const std::vector<ChangeRow> last = list_last_changes(trends);
  const std::size_t judged = count_judged(trends);
  std::vector<Paragraph> summary;
  if (!last.empty())
    summary.push_back(
        {fmt::format("{} of {} series changed; {}.", last.size(), judged, count_directions(last))});
  else if (judged > 0)
    summary.push_back(
        {judged == 1 ? "The series did not change." : fmt::format("None of {} series changed.", judged)});
  std::vector<std::size_t> needed;
  for (const SeriesTrend& trend : trends.series) {
    if (!trend.has_enough_runs()) needed.push_back(kFewestRuns - trend.points.size());
  }
  if (!needed.empty())
    summary.push_back(caution("{} series {} fewer than {} runs: {} more {} needed for a verdict.",
                              needed.size(), needed.size() == 1 ? "has" : "have", kFewestRuns,
                              range_text(needed), range_text(needed) == "1" ? "is" : "are"));
  return summary;
}

Table change_table(const Trends& trends) {
  std::vector<ChangeRow> rows = list_all_changes(trends);
  std::erase_if(rows, [](const ChangeRow& row) { return row.change == nullptr; });
  const std::vector<std::string> shared = find_shared_parts(trends);
  Columns<ChangeRow> table(rows);
  table.text("series", [&](const ChangeRow& row) { return short_name(*row.trend, shared); });
  if (trends.autocorrelation.size() > 1)
    table.text("machine", [](const ChangeRow& row) { return row.trend->series.machine; });
  table.text("change", [](const ChangeRow& row) {
    const double ratio = row.change->ratio.value;
    const Tone tone = row.is_worse() ? Tone::kBad : Tone::kGood;
    return Cell{fmt::format("{} {}", figure_text(ratio), direction(row)), ratio, "",
                row.change->is_confirmed ? tone : Tone::kWarning};
  });
  table.text("95 % interval", [](const ChangeRow& row) { return interval_text(row.change->ratio); });
  table.text("when", when);
  table.text("what changed", [](const ChangeRow& row) {
    if (!row.change->causes.has_value()) return "unknown: " + row.change->causes.reason();
    const std::string changes = describe_changes(row.change->causes.value());
    return changes.empty() ? "no recorded condition" : changes;
  });
  std::vector<std::string> notes = {"Change: new level divided by old level"};
  if (!shared.empty())
    notes.push_back((trends.series.size() == 1 ? "Series: " : "All series: ") + join(shared));
  const auto is_open = [](const ChangeRow& row) { return !row.change->is_confirmed; };
  if (std::ranges::any_of(rows, is_open))
    notes.push_back(fmt::format("Possibly: not confirmed; fewer than {} runs have followed", kRunsToConfirm));
  return table.take("", std::move(notes));
}

std::vector<Chart> change_charts(const Trends& trends) {
  constexpr std::size_t kMostCharts = 8;
  constexpr std::size_t kMostInText = 2;
  std::vector<ChangeRow> rows = list_last_changes(trends);
  const bool is_in_text = rows.size() <= kMostInText;
  rows.resize(std::min(rows.size(), kMostCharts));
  return mapped(rows, [&](const ChangeRow& row) {
    Chart chart = history_chart(*row.trend->metric, row.trend->points);
    chart.title = row.trend->series.name;
    chart.is_in_text = is_in_text;
    return chart;
  });
}

std::vector<Paragraph> list_notes(const Trends& trends) {
  std::vector<Paragraph> notes;
  std::vector<std::size_t> counts;
  std::set<std::string> dates;
  std::set<RunId> warned;
  for (const SeriesTrend& trend : trends.series) {
    counts.push_back(trend.points.size());
    for (const SeriesPoint& point : trend.points) {
      dates.insert(date_text(point.started_at));
      if (point.is_warned) warned.insert(point.run);
    }
  }
  if (counts.empty()) return notes;
  notes.push_back({fmt::format("{} series with {} runs, from {} to {}.", counts.size(), range_text(counts),
                               *dates.begin(), *dates.rbegin())});
  for (const auto& [machine, autocorrelation] : trends.autocorrelation)
    notes.push_back(
        {fmt::format("Autocorrelation of neighbouring runs on {}: {:.2f}.", machine, autocorrelation)});
  if (!warned.empty())
    notes.push_back(caution("{} {} warnings but {} included.", counted(warned.size(), "run"),
                            warned.size() == 1 ? "has" : "have", warned.size() == 1 ? "is" : "are"));
  return notes;
}

Table trend_data(const Trends& trends) {
  const std::vector<ChangeRow> rows = list_all_changes(trends);
  const auto if_changed = [](const auto& make) {
    return [make](const ChangeRow& row) { return row.change == nullptr ? Cell{} : to_cell(make(row)); };
  };
  Columns<ChangeRow> table(rows);
  table.add({"series"}, [](const ChangeRow& row) { return row.trend->series.id; });
  table.add({"work"}, [](const ChangeRow& row) { return row.trend->series.name; });
  table.add({"machine"}, [](const ChangeRow& row) { return row.trend->series.machine; });
  table.add({"metric"}, [](const ChangeRow& row) { return row.trend->metric->key; });
  table.add({"runs"}, [](const ChangeRow& row) { return row.trend->points.size(); });
  table.add({"missing_runs"}, [](const ChangeRow& row) {
    return kFewestRuns - std::min(kFewestRuns, row.trend->points.size());
  });
  table.add_estimate({"ratio", "ratio_low", "ratio_high"}, [](const ChangeRow& row) {
    return row.change == nullptr ? Measured<Estimate>(missing("no change")) : row.change->ratio;
  });
  table.add({"change"}, if_changed([](const ChangeRow& row) { return direction(row); }));
  table.add({"is_certain"},
            if_changed([](const ChangeRow& row) { return row.change->is_confirmed ? 1 : 0; }));
  table.add({"since"}, if_changed([](const ChangeRow& row) { return row.first().started_at; }));
  table.add({"run"}, if_changed([](const ChangeRow& row) { return row.first().run; }));
  table.add({"what_changed"}, if_changed([](const ChangeRow& row) {
              return row.change->causes.then(describe_changes).value_or("");
            }));
  return table.take();
}

std::string explain_verdict(const TrendVerdict& verdict) {
  const ChangeRow row{verdict.trend, verdict.change};
  const char* why = "";
  if (verdict.verdict != GateVerdict::kRegression)
    why = !verdict.change->is_confirmed                      ? "; too few runs have followed"
          : &verdict.trend->changes.back() != verdict.change ? "; it has possibly ended"
                                                             : "; the interval includes the threshold";
  return fmt::format("{}: {} {}, {} times the old level ({}){}.", verdict.trend->series.name, direction(row),
                     when(row), figure_text(verdict.change->ratio.value),
                     interval_text(verdict.change->ratio), why);
}

Paragraph describe_answer(const Trends& trends, const TrendGate& gate, double threshold) {
  const std::string limit = percent_text(threshold);
  const bool is_time = std::ranges::all_of(trends.series, [](const SeriesTrend& trend) {
    return outcome_word(Outcome::kWorse, 0, trend.metric->use->metric_class) == "slower";
  });
  const char* const worse = is_time ? "slower" : "worse";
  if (gate.answer == GateVerdict::kRegression) {
    const auto count = std::ranges::count(gate.verdicts, GateVerdict::kRegression, &TrendVerdict::verdict);
    return {fmt::format("Regression: {} of {} series {} {} by more than {}.", count, count_judged(trends),
                        count == 1 ? "is" : "are", worse, limit),
            Tone::kBad};
  }
  if (gate.answer == GateVerdict::kPass)
    return {fmt::format("Pass: no series is {} by more than {}.", worse, limit), Tone::kGood};
  if (gate.verdicts.empty()) return caution("Inconclusive: no series has {} runs.", kFewestRuns);
  return caution("Inconclusive: {} series may be {} by more than {}.", gate.verdicts.size(), worse, limit);
}

}  // namespace

Page trend_page(const Trends& trends) {
  Page page;
  std::vector<std::string> nouns;
  for (const SeriesTrend& trend : trends.series) add_once(nouns, trend.metric->noun());
  page.title = nouns.empty() ? "Trend" : "Trend of the " + join(nouns);
  page.summary = summarize_trends(trends);
  add_section(page.sections, "Changes", change_table(trends));
  add_section(page.sections, "Charts", change_charts(trends));
  add_section(page.sections, "Notes", list_notes(trends));
  page.data = trend_data(trends);
  return page;
}

Page trend_gate_page(const Trends& trends, const TrendGate& gate, double threshold) {
  Page page = trend_page(trends);
  page.answer = to_string(gate.answer);
  std::vector<Paragraph> answer = {describe_answer(trends, gate, threshold)};
  for (const TrendVerdict& verdict : gate.verdicts)
    answer.push_back({explain_verdict(verdict),
                      verdict.verdict == GateVerdict::kRegression ? Tone::kBad : Tone::kWarning});
  page.summary.insert(page.summary.begin(), answer.begin(), answer.end());
  return page;
}

}  // namespace gpubench
