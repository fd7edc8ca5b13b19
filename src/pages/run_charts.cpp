#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "gpubench/core/collect.h"
#include "gpubench/record/derived.h"
#include "pages/format.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

/// Charts of fewer epochs show no more than the table.
constexpr std::size_t kLeastEpochs = 4;

/// From this ratio of the largest to the least value on, an axis from zero would hide the small ones.
constexpr double kWideSpread = 50;

/// A figure of a row that has a time.
using FigureOf = Measured<Estimate> (*)(const RowFigures&);

/// Lines by model, device and mode over the batch if any case was run with several batches, else bars.
Chart chart_by_batch(const std::string& title, Axis y, const std::vector<RowFigures>& timed,
                     const RowNames& names, FigureOf find_figure) {
  std::vector<Series> lines;
  std::vector<double> values;
  Chart bars{title, ChartKind::kBars, {"case"}, y, {}};
  for (const RowFigures& row : timed) {
    const std::int64_t batch = row.identity.number("batch_size");
    const Measured<Estimate> figure = find_figure(row);
    if (!figure.has_value()) continue;
    if (std::isfinite(figure.value().value))
      add_bar(bars, y.label, one_line(names.of(row.identity)), figure.value());
    if (batch <= 0) continue;
    values.push_back(figure.value().value);
    add_point(lines, one_line(names.of(row.identity.without({"batch_size"}))),
              make_point(static_cast<double>(batch), figure.value()));
  }
  if (!values.empty() && std::ranges::max(values) > kWideSpread * std::ranges::min(values))
    bars.y.is_logarithmic = true;
  if (std::ranges::none_of(lines, [](const Series& s) { return s.points.size() > 1; })) return bars;
  sort_points(lines);
  return {title + " by batch", ChartKind::kLines, {"batch", "", true}, bars.y, std::move(lines)};
}

/// Where times fall at first and rise later, bursts are faster than what the machine sustains. Lines are
/// spread evenly over as few charts as hold them.
std::vector<Chart> epoch_charts(const std::vector<CaseRecord>& cases, const CaseNames& names) {
  std::vector<Series> lines;
  for (const CaseRecord& c : cases) {
    Series line = make_line(names.one(c), c.epoch_seconds);
    if (line.points.size() >= kLeastEpochs) lines.push_back(std::move(line));
  }
  std::vector<Chart> charts((lines.size() + kMostSeries - 1) / kMostSeries,
                            {"Times of epochs", ChartKind::kLines, {"epoch"}, {"epoch time", "s"}, {}});
  for (std::size_t i = 0; i < lines.size(); ++i)
    charts[i * charts.size() / lines.size()].series.push_back(std::move(lines[i]));
  return charts;
}

/// A bar for each case that ended well and has the figure.
Chart case_bars(std::string title, Axis y, std::string note, const std::vector<CaseRecord>& cases,
                const CaseNames& names, Measured<double> (*find_figure)(const CaseRecord&)) {
  Chart chart{std::move(title), ChartKind::kBars, {"case"}, std::move(y), {}};
  chart.notes = {std::move(note)};
  for (const CaseRecord& c : cases) {
    const Measured<double> figure = find_figure(c);
    if (c.status == RowStatus::kOk && figure.has_value() && std::isfinite(figure.value()))
      add_bar(chart, chart.y.label, names.one(c), Estimate{figure.value()});
  }
  return chart;
}

Measured<double> mfu_percent(const CaseRecord& c) {
  return mfu(c).then([](double part) { return 100 * part; });
}

/// Parts of a median epoch of each case.
Chart parts_chart(const std::vector<CaseRecord>& cases, const CaseNames& names) {
  Chart chart{"Epoch by part", ChartKind::kBars, {"case"}, {"time of an epoch", "s"}, {}};
  for (const CaseRecord& c : cases) {
    const Measured<double> share = communication_share(c);
    const Measured<Summary> summary = epoch_summary(c);
    if (!share.has_value() || !summary.has_value()) continue;
    const double epoch = summary.value().median;
    add_bar(chart, "computing, or waiting for a slower rank", names.one(c),
            Estimate{epoch * (1 - share.value())});
    add_bar(chart, "waiting for exchanges", names.one(c), Estimate{epoch * share.value()});
  }
  chart.notes = {"of the rank that waited least"};
  return chart;
}

}  // namespace

Measured<Estimate> compute_throughput(const RowFigures& row) {
  const std::int64_t samples = row.identity.number("train_samples");
  if (samples <= 0) return missing("its samples are not told");
  return compute_rate(static_cast<double>(samples), row.seconds.value());
}

Series make_line(std::string name, const std::vector<double>& values, double unit) {
  Series line{std::move(name), {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) line.points.push_back({static_cast<double>(i + 1), values[i] / unit});
  }
  return line;
}

void add_charts(std::vector<Section>& sections, const RunRecord& run, const std::vector<RowFigures>& timed) {
  const CaseNames names(run.cases);
  const RowNames& rows = names.rows();
  const Axis time{"median epoch", "s", true};
  const Axis rate{"throughput", "samples/s"};
  const auto find_time = [](const RowFigures& row) { return row.seconds; };
  const auto add = [&](const char* title, std::vector<Chart> charts) {
    // A single bar shows no more than the table.
    std::erase_if(charts, [](const Chart& chart) {
      return chart.series.size() < 2 && (chart.series.empty() || chart.series.front().points.size() < 2);
    });
    add_section(sections, title, std::move(charts));
  };
  add("Time and throughput", {chart_by_batch("Median epoch", time, timed, rows, find_time),
                              chart_by_batch("Throughput", rate, timed, rows, compute_throughput)});
  add("Epoch by epoch", epoch_charts(run.cases, names));
  add("Utilisation", {case_bars("Model FLOP utilisation", {"MFU", "%"},
                                "part of the largest rate that the device reached in this precision",
                                run.cases, names, mfu_percent)});
  add("Start-up", {case_bars("Start-up time", {"start-up", "s"},
                             "set-up, and what the first epoch took beyond a median one", run.cases, names,
                             [](const CaseRecord& c) { return startup(c).then(&Seconds::value); })});
}

std::string scaled_work(const ScalingRow& row, const RowNames& names) {
  const auto keys = row.kind == "weak" ? std::vector<std::string_view>{"world_size", "batch_size"}
                                       : std::vector<std::string_view>{"world_size"};
  return one_line(names.of(row.identity.without(keys))) + ", " + row.kind;
}

Estimate efficiency_percent(const ScalingRow& row) {
  return {100 * row.efficiency, row.interval.then([](const Interval& ends) {
            return Interval{100 * ends.low, 100 * ends.high};
          })};
}

Chart efficiency_chart(const std::vector<OwnedScaling>& rows, const RowNames& names) {
  Chart chart{"Efficiency by ranks", ChartKind::kLines, {"ranks", "", true}, {"efficiency", "%"}, {}, 100.0};
  for (const auto& [owner, row] : rows) {
    const std::string name = (owner.empty() ? "" : owner + ", ") + scaled_work(*row, names);
    add_point(chart.series, name, make_point(static_cast<double>(row->ranks), efficiency_percent(*row)));
  }
  sort_points(chart.series);
  chart.notes = {"throughput of all ranks over that of one by itself, and over their number"};
  return chart;
}

Table scaling_table(const RunRecord& run) {
  const std::vector<ScalingRow> rows = compute_scaling(run);
  if (rows.empty()) return {};
  return record_table("What several ranks gain", scaling_fields(), rows, rows.front());
}

void add_ranks(std::vector<Section>& sections, const RunRecord& run) {
  const std::vector<RankRecord>& ranks = run.environment.ranks;
  if (ranks.empty()) return;
  const CaseNames names(run.cases);
  const std::vector<ScalingRow> rows = compute_scaling(run);
  const auto owned = mapped(rows, [](const ScalingRow& row) { return OwnedScaling{"", &row}; });
  add_section(sections, "Ranks", scaling_table(run), efficiency_chart(owned, names.rows()),
              parts_chart(run.cases, names),
              record_table("Who trained together", rank_fields(), ranks, ranks.front()));
}

}  // namespace gpubench
