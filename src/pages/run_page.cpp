#include "pages/run_page.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "compare/comparison.h"
#include "compare/rows.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/derived.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

/// Makes lines over the batch size if any workload ran with several batch sizes, otherwise bars.
Chart chart_by_batch(const std::string& title, Axis y, const std::vector<ComparedRow>& timed,
                     const RowNames& names, const char* metric) {
  constexpr double kWideSpread = 50;  // With a larger ratio, a linear axis would hide small values.
  std::vector<Series> lines;
  std::vector<double> values;
  // Bars begin at zero, which a logarithmic axis lacks.
  Chart bars{title, ChartKind::kBars, {"case"}, {y.label, y.unit}, {}};
  for (const ComparedRow& row : timed) {
    const std::int64_t batch = row.identity.number("batch_size");
    const Measured<Estimate> value = row.estimate(metric);
    if (!value.has_value()) continue;
    add_bar(bars, y.label, one_line(names.of(row.identity)), value.value());
    if (batch <= 0) continue;
    values.push_back(value.value().value);
    add_point(lines, one_line(names.of(row.identity.without({"batch_size"}))),
              make_point(static_cast<double>(batch), value.value()));
  }
  if (std::ranges::none_of(lines, [](const Series& s) { return s.points.size() > 1; })) return bars;
  y.is_logarithmic = y.is_logarithmic || std::ranges::max(values) > kWideSpread * std::ranges::min(values);
  return {title + " by batch size", ChartKind::kLines, {"batch size", "", true}, y, std::move(lines)};
}

/// Makes charts of all epochs of at most kMostSeries lines. They show speed that is not sustained.
std::vector<Chart> epoch_charts(const std::vector<CaseRecord>& cases, const CaseNames& names) {
  std::vector<Chart> charts;
  for (const CaseRecord& c : cases) {
    Series line = make_line(names.one(c), c.epoch_seconds);
    if (line.points.size() < kLeastPoints) continue;
    if (charts.empty() || charts.back().series.size() == kMostSeries)
      charts.push_back({"Epoch times", ChartKind::kLines, {"epoch"}, {"epoch time", "s"}, {}});
    charts.back().series.push_back(std::move(line));
  }
  return charts;
}

std::vector<OwnedScaling> list_scalings(const RunRecord& run) {
  return mapped(compute_scaling(run), [](const ScalingRow& row) { return OwnedScaling{"", row}; });
}

void add_charts(std::vector<Section>& sections, const RunRecord& run) {
  const CaseNames names(run.cases);
  const std::vector<ComparedRow> timed = make_rows(run);
  const RowNames& rows = names.rows();
  const Axis time{"median epoch time", "s", true};
  const Axis rate{"throughput", "samples/s"};
  const auto add = [&](const char* title, std::vector<Chart> charts) {
    // A single bar shows no more than the table.
    std::erase_if(charts, [](const Chart& chart) {
      return chart.series.size() < 2 && (chart.series.empty() || chart.series.front().points.size() < 2);
    });
    add_section(sections, title, std::move(charts));
  };
  add("Time and throughput", {chart_by_batch("Median epoch time", time, timed, rows, "median_epoch_seconds"),
                              chart_by_batch("Throughput", rate, timed, rows, "samples_per_second")});
  add("Epoch times", epoch_charts(run.cases, names));
  add_section(sections, "Scaling efficiency", efficiency_chart(list_scalings(run), rows));
}

/// Returns "10,700 images/s, 960 ms per epoch"; of a fit or a single stream its main metric.
std::string answer_text(const CaseSummary& row, const Metric& main) {
  if (main.use->main_rank >= find_metric("samples_per_second", "").use->main_rank)
    return speed_text(*row.good.front(), row.seconds.value());
  const auto is_latency = [](const Metric& metric) {
    return metric.use->metric_class == MetricClass::kLatency;
  };
  std::vector<std::string> values;
  for (const MetricSamples& one : row.compared.metrics) {
    const bool is_named = one.metric == &main || (is_latency(main) && is_latency(*one.metric));
    if (is_named && one.estimate.has_value())
      values.push_back(one.metric->noun() + " " + metric_cell(one.estimate.value().value, *one.metric).text);
  }
  return join(values);
}

/// Returns the fastest case of each model, sizes and data: by time per sample, or per epoch without samples.
std::vector<CaseSummary> find_fastest(const std::vector<CaseSummary>& rows) {
  const auto find_work = [](const CaseSummary& row) {
    return to_work(row.compared.identity).without({"batch_size"});
  };
  const auto time_of_sample = [](const CaseSummary& row) {
    return row.seconds.value() / std::max(1.0, static_cast<double>(row.all.front()->train_samples));
  };
  return mapped(grouped(rows, find_work), [&](const auto& group) {
    return *std::ranges::min_element(group.second, {}, time_of_sample);
  });
}

std::vector<Paragraph> describe_speeds(const RunRecord& run, const std::vector<CaseSummary>& rows) {
  const std::vector<RowIdentity> identities = make_identities(run.cases);
  const RowNames names(identities);
  // Names omit the parameters that are equal in all cases.
  std::vector<std::string_view> common = {"device", "precision", "execution", "layout", "loader", "protocol"};
  std::erase_if(common, [&](std::string_view key) {
    return std::ranges::any_of(identities,
                               [&](const RowIdentity& row) { return row.at(key) != identities[0].at(key); });
  });
  const bool is_between_runs = any_between_runs(rows);
  std::size_t known = 0;
  std::vector<Paragraph> lines;
  for (const CaseSummary& row : rows) {
    const Metric* const main = find_main_metric({&row.compared});
    std::string text =
        one_line(names.of(row.compared.identity.without(common))) + ": " + answer_text(row, *main);
    const Measured<double> part =
        is_between_runs ? halfwidth_between_runs(row.compared.find(*main)->costs) : row.halfwidth();
    if (part.has_value()) ++known;
    if (!run.published) text += " ± " + (part.has_value() ? percent_text(part.value()) : "unknown");
    lines.push_back({std::move(text)});
  }
  if (run.published || rows.empty()) return lines;
  if (is_between_runs)
    lines.push_back({std::string("± is the 95 % confidence interval between runs") +
                     (known == rows.size() ? "." : "; it needs --repeat 3.")});
  else
    lines.push_back({"± is the 95 % confidence interval within one run (between runs: --repeat 3)."});
  return lines;
}

/// Returns throughput and time of each case; of many cases only the fastest of each model.
std::vector<Paragraph> run_answer(const RunRecord& run) {
  constexpr std::size_t kMostAnswers = 5;
  std::vector<Paragraph> answer = publication_cautions(run.published);
  std::vector<CaseSummary> rows = aggregate_repeats(run);
  const std::size_t all = rows.size();
  std::erase_if(rows, [](const CaseSummary& row) { return !row.seconds.has_value(); });
  const std::size_t good = rows.size();
  if (good > kMostAnswers) {
    rows = find_fastest(rows);
    answer.push_back({"Fastest case of each model:"});
  }
  append(answer, describe_speeds(run, rows));
  if (all == 0) answer.push_back(caution("No case was measured."));
  if (good < all)
    answer.push_back({fmt::format("No valid result for {} of {}; see the notes of the table for the reasons.",
                                  all - good, counted(all, "case")),
                      Tone::kBad});
  return answer;
}

/// Makes the page of a run; of a very long run only its first cases.
template <class Make>
Page make_limited(const RunRecord& run, Make make_page) {
  constexpr std::size_t kMostCasesShown = 1000;
  if (run.cases.size() <= kMostCasesShown) return make_page(run);
  RunRecord part = run;
  part.cases.resize(kMostCasesShown);
  Page page = make_page(part);
  page.summary.insert(page.summary.begin(),
                      caution("Only the first {} of {} cases; use 'gpubench show --format csv' for all.",
                              kMostCasesShown, run.cases.size()));
  return page;
}

constexpr std::size_t kMostNotes = 4;

Paragraph to_paragraph(const std::string& text) { return {text}; }

Page make_outcome(const RunRecord& run, std::string title) {
  Page page{"", run_answer(run), {}, {}};
  if (run.cases.empty()) return page;
  CasesTable cases = cases_table(run);
  const std::vector<std::string> notes = run_notes(run);
  append(cases.table.notes, std::span(notes).first(std::min(kMostNotes, notes.size())));
  std::vector<Paragraph> constants;
  if (!cases.constants.empty())
    constants.push_back(
        {(cases.table.rows.size() > 1 ? "All rows: " : "Conditions: ") + join(cases.constants)});
  add_section(page.sections, std::move(title), std::move(constants), std::move(cases.table));
  add_section(page.sections, "Where the time goes", mapped(profile_notes(run.cases), to_paragraph));
  add_section(page.sections, "Scaling", scaling_table(list_scalings(run)));
  return page;
}

void add_details(std::vector<Section>& sections, const RunRecord& run) {
  const std::size_t first = sections.size();
  const std::vector<std::string> notes = run_notes(run);
  std::vector<std::string> method = method_notes(run);
  append(method, std::span(notes).subspan(std::min(kMostNotes, notes.size())));
  if (!run.cases.empty()) append(method, cases_table(run).remarks);
  add_section(sections, "Epoch and step times", repeats_table(run));
  add_section(sections, "Sustained speed", sustained_table(run));
  add_section(sections, "Power meters", sources_table(run));
  add_section(sections, "Ranks", folded(record_table(rank_fields(), run.environment.ranks)));
  add_section(sections, "How it was measured", mapped(method, to_paragraph));
  add_environment(sections, run);
  for (Section& section : std::span(sections).subspan(first)) section.is_detail = true;
}

}  // namespace

Series make_line(std::string name, const std::vector<double>& values, double unit, double x, double step) {
  Series line{std::move(name), {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i]))
      line.points.push_back({x + static_cast<double>(i) * step, values[i] / unit});
  }
  return line;
}

Chart efficiency_chart(const std::vector<OwnedScaling>& rows, const RowNames& names) {
  Chart chart{"Scaling efficiency", ChartKind::kLines, {"ranks", "", true}, {"efficiency", "%"}, {}, 100.0};
  for (const auto& [owner, row] : rows) {
    // With weak scaling, the batch size grows with the ranks.
    auto work = row.identity.without({"world_size"});
    if (row.kind == "weak") work = work.without({"batch_size"});
    add_point(chart.series, (owner.empty() ? "" : owner + ", ") + one_line(names.of(work)) + ", " + row.kind,
              make_point(static_cast<double>(row.ranks), scaled({row.efficiency, row.interval}, 100)));
  }
  chart.notes = {"Efficiency: throughput of all ranks / (number of ranks x throughput of one rank)"};
  return chart;
}

Table scaling_table(const std::vector<OwnedScaling>& all) {
  if (all.empty()) return {};
  const std::vector<ScalingRow> rows = mapped(all, &OwnedScaling::row);
  Table table = folded(record_table(scaling_fields(), rows));
  for (Column& column : table.columns)
    column.is_detail = column.is_number && column.heading != "ranks" && column.heading != "efficiency";
  if (!all.front().owner.empty()) insert_column(table, "", mapped(all, &OwnedScaling::owner));
  return table;
}

std::string speed_text(const CaseRecord& c, double epoch_seconds) {
  const double units = static_cast<double>(c.train_samples) *
                       static_cast<double>(std::max<std::int64_t>(1, c.tokens_per_sample));
  const std::string rate =
      units > 0 ? fmt::format("{} {}, ", figure_text(units / epoch_seconds), sample_rate_unit(c)) : "";
  return rate + prefixed_text(epoch_seconds, "s") + " per epoch";
}

Page run_outcome(const RunRecord& run) {
  return make_limited(run, [](const RunRecord& part) { return make_outcome(part, ""); });
}

Page run_page(const RunRecord& all, const std::string& name, std::optional<double> price_kwh) {
  return make_limited(all, [&](const RunRecord& run) {
    Page page = run.has_operations() ? ops_outcome(run) : make_outcome(run, "Cases");
    page.title = name;
    if (run.is_changed)
      page.summary.insert(
          page.summary.begin(),
          caution("content_sha256 does not match: the file was changed after the measurement; see "
                  "'gpubench file validate {}'.",
                  name));
    if (!run.cases.empty()) {
      page.summary.push_back({describe_place(list_devices(run.cases), run)});
      add_energy(page.sections, run, price_kwh);
      add_charts(page.sections, run);
    }
    add_details(page.sections, run);
    return page;
  });
}

// A row per repeat, each with the figures over all repeats of its case.
Table run_data(const RunRecord& run, const std::string& name) {
  if (run.has_operations()) return record_data(op_fields(), run.operations, name);
  Table table = record_data(case_fields(), run.cases, name);
  table.columns.push_back({"processes", "", true});
  table.columns.push_back({"between_runs_halfwidth", "", true});
  for (const CaseSummary& row : aggregate_repeats(run)) {
    for (const CaseRecord* c : row.all) {
      std::vector<Cell>& cells = table.rows[static_cast<std::size_t>(c - run.cases.data())];
      cells.push_back(to_cell(row.is_ok() ? row.good.size() : 0));
      cells.push_back(value_cell(row.between_runs));
    }
  }
  return table;
}

void add_run_sections(std::vector<Section>& sections, const NamedRun& one, std::optional<double> price_kwh) {
  Page page = run_page(one.run, one.name, price_kwh);
  page.sections.insert(page.sections.begin(), {"Result", {page.summary.begin(), page.summary.end()}});
  for (Section& section : page.sections) {
    section.title = one.name + ": " + section.title;
    sections.push_back(std::move(section));
  }
}

}  // namespace gpubench
