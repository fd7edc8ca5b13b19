#include "pages/run_page.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "compare/comparability.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/derived.h"
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

/// "Fastest of each model: mlp, batch 128: 12,345 samples/s, 4.36 s an epoch": of each model with its sizes
/// and data the row of most samples a second, or of least time if samples are unknown.
Paragraph best_figures(const std::vector<RowFigures>& timed, const RowNames& names) {
  const auto find_work = [](const RowFigures& row) { return to_work(row.identity).without({"batch_size"}); };
  const auto is_better = [](const RowFigures& a, const RowFigures& b) {
    const Measured<Estimate> rate = compute_throughput(a);
    const Measured<Estimate> other = compute_throughput(b);
    if (rate.has_value() && other.has_value()) return rate.value().value > other.value().value;
    return a.seconds.value().value < b.seconds.value().value;
  };
  std::vector<std::string> parts;
  for (const auto& [work, rows] : grouped(timed, find_work)) {
    const RowFigures& best = *std::ranges::min_element(rows, is_better);
    const Measured<Estimate> rate = compute_throughput(best);
    parts.push_back(
        fmt::format("{}: {}{} an epoch", one_line(names.of(best.identity)),
                    rate.has_value() ? cell_text(rate.value().value, "samples/s", 0) + " samples/s, " : "",
                    prefixed_text(best.seconds.value().value, "s")));
  }
  return {"Fastest of each model: " + counted(std::move(parts)) + "."};
}

/// "Between runs medians are known to ± 0.4 % (mlp, batch 32) to ± 12 % (cnn, batch 128)", or why not.
std::string between_runs(const RunRecord& run, const CaseNames& names) {
  std::vector<std::pair<double, std::string>> known;
  std::vector<std::string> unknown;
  for (const CaseSummary& row : aggregate_repeats(run)) {
    if (row.between_runs.has_value())
      known.emplace_back(row.between_runs.value(), names.all(*row.all.front()));
    else if (row.is_ok())
      unknown.push_back(row.between_runs.reason());
  }
  if (known.empty()) return "How much runs differ is not known: " + unknown.front();
  const auto [best, worst] = std::minmax_element(known.begin(), known.end());
  std::string text =
      fmt::format("Between runs medians are known to ± {} ({})", percent_text(best->first), best->second);
  if (known.size() > 1) text += fmt::format(" to ± {} ({})", percent_text(worst->first), worst->second);
  if (unknown.empty()) return text;
  return fmt::format("{}; of {} more that is not known", text, counted(unknown.size(), "case"));
}

/// Returns whether the times of a case scatter, or the machine did other work meanwhile.
bool is_disturbed(const CaseRecord& c) {
  constexpr double kLarge = 0.1;  // As a part of the mean, and of the CPU time.
  const Measured<double> spread = epoch_cv(c);
  const auto disturbs = [](const Warning& warning) {
    const std::string& kind = warning.kind;
    const bool is_load = kind == "other-processes" || kind == "hypervisor";
    return kind == "core-wait" || kind == "cpu-quota" || (is_load && warning.figure.value_or(0) > kLarge);
  };
  return (spread.has_value() && spread.value() > kLarge) || std::ranges::any_of(c.warnings, disturbs);
}

/// "Times were steady in 3 of 6 cases, disturbed in 1, still changing in 1, and epochs are too few to tell in
/// 1"
std::string steadiness(const std::vector<CaseRecord>& cases) {
  std::size_t good = 0;
  std::size_t steady = 0;
  std::size_t disturbed = 0;
  std::size_t changing = 0;
  for (const CaseRecord& c : cases) {
    if (c.status != RowStatus::kOk) continue;
    ++good;
    const Measured<bool> is_level = is_steady(c);
    if (is_disturbed(c))
      ++disturbed;
    else if (is_level.has_value())
      ++(is_level.value() ? steady : changing);
  }
  const std::size_t unknown = good - steady - changing - disturbed;
  if (unknown == good) return "Epochs are too few to tell whether times were steady";
  if (steady == good) return "Times were steady";
  std::string text = fmt::format("Times were steady in {} of {}", steady, counted(good, "case"));
  if (disturbed > 0) text += fmt::format(", disturbed in {}", disturbed);
  if (changing > 0) text += fmt::format(", still changing in {}", changing);
  return unknown == 0 ? text : text + fmt::format(", and epochs are too few to tell in {}", unknown);
}

/// Where and how well the run went, the best figures, how much these vary, and cautions: failures, data that
/// is not the official one, warnings. Of a publication its own words come first. `timed` are the rows that
/// have a time.
std::vector<Paragraph> run_summary(const RunRecord& run, const std::vector<RowFigures>& timed) {
  const CaseNames names(run.cases);
  std::vector<Paragraph> summary = publication_cautions(run.published);
  summary.push_back(describe_run(list_devices(run.cases), mapped(run.cases, &CaseRecord::status), "case",
                                 run.plan.suite, run.tool, run.environment));
  if (!timed.empty()) summary.push_back(best_figures(timed, names.rows()));
  if (!timed.empty() && !run.published)
    summary.push_back({fmt::format("{}. {}.", between_runs(run, names), steadiness(run.cases))});
  append(summary, describe_failures(mapped(run.cases, [&](const CaseRecord& c) {
           return std::pair{c.status, names.all(c)};
         })));
  for (const auto& notes : {data_notes(run), warning_notes(run.cases)}) {
    for (const std::string& note : notes) summary.push_back({note, Tone::kWarning});
  }
  return summary;
}

std::vector<RowFigures> timed_rows(const RunRecord& run) {
  std::vector<RowFigures> rows = make_rows(run);
  std::erase_if(rows, [](const RowFigures& row) { return !row.seconds.has_value(); });
  return rows;
}

std::vector<Section> make_sections(const RunRecord& run, const std::vector<RowFigures>& timed,
                                   std::optional<double> price_kwh, bool has_summary) {
  std::vector<Section> sections;
  add_cases(sections, run, has_summary);
  add_energy(sections, run, price_kwh);
  add_charts(sections, run, timed);
  add_ranks(sections, run);
  add_environment(sections, run.tool, run.environment, run.published.has_value());
  return sections;
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
  add("Utilisation",
      {case_bars("Model FLOP utilisation", {"MFU", "%"},
                 "part of the largest rate that the device reached in this precision", run.cases, names,
                 [](const CaseRecord& c) { return mfu(c).then([](double part) { return 100 * part; }); })});
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

std::optional<RunRecord> make_beginning(const RunRecord& run) {
  if (run.cases.size() <= kMostCasesShown) return std::nullopt;
  RunRecord part{run.tool, run.plan, run.environment, {}, run.published};
  const auto end = run.cases.begin() + kMostCasesShown;
  part.cases.assign(run.cases.begin(), end);
  if (part.published)
    part.published->figures.resize(std::min(kMostCasesShown, part.published->figures.size()));
  return part;
}

std::string left_out_text(const RunRecord& run) {
  const auto good = std::ranges::count(run.cases, RowStatus::kOk, &CaseRecord::status);
  const auto number = [](std::size_t count) { return with_separators(static_cast<std::int64_t>(count)); };
  return fmt::format(
      "of {} cases, {} of which ended well, only the first {} are told of here; 'gpubench show' with "
      "--format csv or tsv has all",
      number(run.cases.size()), number(static_cast<std::size_t>(good)), number(kMostCasesShown));
}

Page run_page(const RunRecord& run, const std::string& name, std::optional<double> price_kwh) {
  if (const auto part = make_beginning(run)) {
    Page page = run_page(*part, name, price_kwh);
    page.summary.insert(page.summary.begin(), caution("Note: {}.", left_out_text(run)));
    return page;
  }
  const std::vector<RowFigures> timed = timed_rows(run);
  return {name, run_summary(run, timed), make_sections(run, timed, price_kwh, true), {}};
}

/// Rows of processes, each with the figures over all processes of its case.
Table run_data(const RunRecord& run, const std::string& name) {
  Table table = record_data(case_fields(), run.cases, name);
  table.columns.push_back({"processes", "", true});
  table.columns.push_back({kBetweenRuns, "", true});
  for (const CaseSummary& row : aggregate_repeats(run)) {
    for (const CaseRecord* c : row.all) {
      std::vector<Cell>& cells = table.rows[static_cast<std::size_t>(c - run.cases.data())];
      cells.push_back(to_cell(row.is_ok() ? row.told.size() : 0));
      cells.push_back(
          data_cell(row.between_runs.has_value() ? FieldValue(row.between_runs.value()) : Missing{}));
    }
  }
  return table;
}

std::vector<Section> run_sections(const RunRecord& run, const std::string& name,
                                  std::optional<double> price_kwh) {
  if (const auto part = make_beginning(run)) {
    std::vector<Section> sections = run_sections(*part, name, price_kwh);
    sections.front().blocks.insert(sections.front().blocks.begin(), caution("Note: {}.", left_out_text(run)));
    return sections;
  }
  std::vector<Section> sections = make_sections(run, timed_rows(run), price_kwh, false);
  for (Section& section : sections) section.title = name + ": " + section.title;
  return sections;
}

Section environments_section(const std::vector<NamedRun>& runs) {
  return environments_section(mapped(runs, [](const NamedRun& run) {
    return Surroundings{run.name, &run.run.tool, &run.run.environment};
  }));
}

}  // namespace gpubench
