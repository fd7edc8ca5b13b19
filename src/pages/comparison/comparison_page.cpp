#include "pages/comparison/comparison_page.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "pages/comparison/sections.h"
#include "pages/format.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

Chart epoch_chart(const std::string& model, const std::vector<CandidateRow>& timed, const RowNames& names) {
  Chart chart{"Epoch time of " + model,
              ChartKind::kLines,
              {"batch size", "", true},
              {"median epoch time", "s", true},
              {}};
  for (const auto& [candidate, row] : timed) {
    const std::int64_t batch = row->identity.number("batch_size");
    if (batch <= 0) continue;
    // A line connects cases that differ in the batch size only.
    const std::string rest = names.of(row->identity.without({"model", "batch_size"}));
    add_point(chart.series, rest.empty() ? candidate->label : candidate->label + ", " + rest,
              make_point(static_cast<double>(batch), row->seconds.value()));
  }
  return chart;
}

/// Makes a bar per pair and case. Operations have too many rows, so their bars are means per operation.
Chart ratio_chart(const Comparison& comparison, const RowNames& names, const ComparedMetric& metric) {
  Chart chart{fmt::format("Ratio of {} (above 1: better than the baseline)", metric.label),
              ChartKind::kBars,
              {are_operations(comparison) ? "operation" : "case"},
              {metric.formula, "x", true},
              {},
              1.0};
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    const std::vector<RowRatio> ratios = row_ratios(versus, metric);
    const auto find_subject = [](const RowRatio& row) { return row.base.figures->identity.subject(); };
    if (are_operations(comparison)) {
      for (const auto& [operation, rows] : grouped(ratios, find_subject))
        add_bar(chart, pair_name(versus), operation, compute_mean(rows));
    } else {
      for (const RowRatio& row : ratios)
        add_bar(chart, pair_name(versus), names.of(row.base.figures->identity), row.ratio);
    }
  }
  return chart;
}

/// Makes a chart of energy over time; without series if fewer than two candidates have both.
Chart front_chart(std::vector<CandidateRow> rows, const RowNames& names) {
  const auto find_joules = [](const CandidateRow& row) {
    return row.figures->epoch_joules.then(&Estimate::value).value_or(0);
  };
  std::erase_if(rows, [&](const CandidateRow& row) { return !(find_joules(row) > 0); });
  Chart chart{"Time and energy per epoch",
              ChartKind::kPoints,
              {"median epoch time", "s", true},
              {"energy per epoch", "J", true},
              {}};
  if (grouped(rows, &CandidateRow::candidate).size() < 2) return chart;
  for (const auto& [candidate, figures] : rows) {
    Point point = make_point(figures->seconds.value().value, figures->epoch_joules.value());
    point.name = names.of(figures->identity);
    add_point(chart.series, candidate->label, std::move(point));
  }
  return chart;
}

std::vector<Chart> list_charts(const Comparison& comparison) {
  const RowNames names(make_identities(comparison.candidates));
  std::vector<CandidateRow> timed = make_rows(comparison.candidates);
  std::erase_if(timed, [](const CandidateRow& row) { return !row.figures->seconds.has_value(); });
  std::vector<Chart> charts = {ratio_chart(comparison, names, kSpeed),
                               ratio_chart(comparison, names, kEnergy), front_chart(timed, names)};
  if (are_operations(comparison)) return charts;
  const auto find_model = [](const CandidateRow& row) { return row.figures->identity.subject(); };
  for (const auto& [model, rows] : grouped(timed, find_model))
    charts.push_back(epoch_chart(model, rows, names));
  return charts;
}

void add_verdict(const Comparison& comparison, Page& page) {
  std::vector<Table> tables;
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    if (tables.size() == kMostDetailed) break;
    append(page.summary, describe_verdict(versus));
    tables.push_back(case_table(versus, /*is_detailed=*/false));
  }
  add_section(page.sections, are_operations(comparison) ? "Rows" : "Cases", std::move(tables));
}

void add_ranking(const Comparison& comparison, const std::vector<Ranking>& rankings, Page& page) {
  constexpr std::size_t kMostRankings = 8;
  append(page.summary, describe_ranking(rankings.front(), comparison));
  append(page.summary, ranking_notes(rankings, comparison));
  const std::size_t most = are_operations(comparison) ? 1 : kMostRankings;
  std::vector<Table> tables;
  for (const Ranking& ranking : std::span(rankings).first(std::min(most, rankings.size())))
    tables.push_back(ranking_table(ranking, comparison));
  if (rankings.size() > tables.size() && !are_operations(comparison))
    tables.back().notes.push_back(
        fmt::format("{} more rankings not shown; compare fewer cases", rankings.size() - tables.size()));
  add_section(page.sections, "Ranking", std::move(tables));
  add_section(page.sections, "Machines", machine_table(comparison));
}

std::vector<OwnedScaling> list_scalings(const Comparison& comparison) {
  std::vector<OwnedScaling> rows;
  for (const Candidate& candidate : comparison.candidates) {
    for (const ScalingRow& row : candidate.scaling) rows.push_back({candidate.label, row});
  }
  return rows;
}

void mark_details(std::vector<Section>& sections, std::size_t first) {
  for (Section& section : std::span(sections).subspan(first)) section.is_detail = true;
}

/// Adds the sections after the answer; with many candidates only averages and machines.
void add_details(const Comparison& comparison, std::vector<Paragraph> cautions, Page& page) {
  const bool is_short = comparison.versus_baseline.size() <= kMostDetailed;
  const bool is_of_ops = are_operations(comparison);
  const auto add = [&](const char* title, auto... parts) {
    add_section(page.sections, title, std::move(parts)...);
  };
  const auto add_energy = [&] {
    add("Energy", energy_absences(comparison.candidates),
        energy_table(comparison.candidates, comparison.price_kwh));
  };
  // With a price, the cost is part of the answer.
  if (comparison.price_kwh) add_energy();
  if (is_short) add("Charts", list_charts(comparison));
  const std::size_t first = page.sections.size();
  add("Further cautions", std::move(cautions));
  add("By model", model_table(comparison));
  if (is_short) {
    add(is_of_ops ? "Rows in detail" : "Cases in detail",
        mapped(comparison.versus_baseline,
               [](const BaselineComparison& versus) { return case_table(versus, /*is_detailed=*/true); }));
    if (!comparison.price_kwh) add_energy();
    const std::vector<OwnedScaling> scalings = list_scalings(comparison);
    const RowNames names(make_identities(comparison.candidates));
    add("Scaling", scaling_table(scalings), efficiency_chart(scalings, names));
    add("Differences", mapped(comparison.versus_baseline, difference_table));
    add(is_of_ops ? "Failed rows" : "Failed cases", failure_table(comparison));
  }
  if (!is_ranking(comparison)) add("Machines", machine_table(comparison));
  mark_details(page.sections, first);
}

std::string find_advice(const Comparison& comparison, const GateReport& report) {
  const bool has_intervals = std::ranges::all_of(
      report.cases, [](const GateCase& row) { return row.slowdown.interval.has_value(); });
  return advise(comparison.versus_baseline.front(), has_intervals);
}

Paragraph sentence(const Comparison& comparison, const GateReport& report) {
  const std::string threshold = percent_text(report.threshold);
  switch (report.answer) {
    case GateVerdict::kRegression:
      return {std::string("Regression: this change makes ") +
                  (are_operations(comparison) ? "operations" : "training") + " slower.",
              Tone::kBad};
    case GateVerdict::kIncomparable:
      return {"Incomparable: some cases of the baseline have no comparable result.", Tone::kBad};
    case GateVerdict::kInconclusive:
      return {fmt::format("Inconclusive: the times are too uncertain for a threshold of {}{}.", threshold,
                          prepend_if_any("; ", find_advice(comparison, report))),
              Tone::kWarning};
    case GateVerdict::kPass:
      break;
  }
  const bool is_whole = std::ranges::all_of(
      report.cases, [](const GateCase& row) { return row.verdict == GateVerdict::kPass; });
  return {is_whole ? "Pass: no case is slower by more than " + threshold + "."
                   : "Pass: neither the mean nor any measured case is slower by more than " + threshold + ".",
          Tone::kGood};
}

Cell verdict_cell(const GateCase& row, double limit) {
  if (row.verdict == GateVerdict::kPass) return {"pass", {}, "", Tone::kGood};
  if (row.verdict == GateVerdict::kRegression) return {"regression", {}, "", Tone::kBad};
  const Measured<Interval>& interval = row.slowdown.interval;
  std::string why = interval.reason();
  if (interval.has_value())
    why = interval.value().low > limit ? "above the threshold, but may be chance among this many cases"
                                       : "the interval includes the threshold";
  return {"inconclusive", {}, why, Tone::kWarning};
}

Table slowdown_table(const Comparison& comparison, const GateReport& report) {
  std::vector<GateCase> rows = report.cases;
  if (rows.size() > 1) rows.push_back(report.mean);
  const BaselineComparison& versus = comparison.versus_baseline.front();
  const char* const unit = are_interleaved(*versus.base, *versus.other) ? "rounds" : "repeats";
  Columns<GateCase> table(rows);
  table.text("case", &GateCase::name);
  table.number("new / old", "x", [](const GateCase& row) { return row.slowdown.value; });
  table.text("95 % interval", [](const GateCase& row) { return interval_text(row.slowdown); });
  table.text("verdict", [&](const GateCase& row) { return verdict_cell(row, 1 + report.threshold); });
  table.add_known({"needs"}, [&](const GateCase& row) {
    return row.repetitions_to_decide > 0 ? fmt::format("about {} {}", row.repetitions_to_decide, unit) : "";
  });
  std::vector<std::string> notes;
  for (const BaselineComparison& one : comparison.versus_baseline) {
    if (std::string noise = describe_noise(one); !noise.empty()) add_once(notes, noise);
  }
  return table.take("", std::move(notes));
}

}  // namespace

bool has_operations(const Candidate& one) {
  return !one.rows.empty() && !one.rows.front().identity.at("op").empty();
}

bool are_operations(const Comparison& comparison) {
  return std::ranges::any_of(comparison.candidates, has_operations);
}

std::string row_noun(const Comparison& comparison) { return are_operations(comparison) ? "row" : "case"; }

bool has_common_row(const BaselineComparison& versus) {
  return std::ranges::any_of(versus.pairs, &Pair::is_common);
}

bool is_ranking(const Comparison& comparison) {
  const auto has_price = [](const Candidate& one) { return one.price_per_hour.has_value(); };
  return comparison.candidates.size() > 2 || std::ranges::any_of(comparison.candidates, has_price);
}

const std::string& short_name(const Candidate& candidate, const Comparison& comparison) {
  return is_ranking(comparison) ? candidate.name : candidate.label;
}

Page comparison_page(const Comparison& comparison) {
  constexpr std::ptrdiff_t kMostCautions = 4;
  std::vector<std::string> names = mapped(comparison.candidates, &Candidate::name);
  if (names.size() > 3) names = {names.front(), fmt::format("{} others", names.size() - 1)};
  Page page{names.empty() ? "Comparison" : join_all(names), {}, {}, {}};
  if (comparison.versus_baseline.empty()) {
    page.summary.push_back(caution("No comparison: give two result files, or one file with two devices."));
    return page;
  }
  std::vector<Ranking> rankings;
  if (is_ranking(comparison)) rankings = rank_machines(comparison);
  if (rankings.empty()) {
    add_verdict(comparison, page);
  } else {
    add_ranking(comparison, rankings, page);
  }
  const std::vector<Paragraph> cautions = list_cautions(comparison);
  const auto rest = cautions.begin() + std::min(kMostCautions, std::ssize(cautions));
  const auto more = static_cast<std::size_t>(cautions.end() - rest);
  add_section(page.sections, more == 0 ? "Cautions" : fmt::format("Cautions ({} more in the details)", more),
              std::vector(cautions.begin(), rest));
  add_details(comparison, {rest, cautions.end()}, page);
  return page;
}

Page comparison_report(const Comparison& comparison, const std::vector<NamedRun>& runs) {
  Page page = comparison_page(comparison);
  page.data = comparison_data(comparison);
  if (comparison.versus_baseline.size() > kMostDetailed) return page;
  const std::size_t first = page.sections.size();
  add_environments(page.sections, runs);
  for (const NamedRun& run : runs) add_run_sections(page.sections, run, comparison.price_kwh);
  mark_details(page.sections, first);
  return page;
}

Page gate_page(const Comparison& comparison, const GateReport& report) {
  Page page;
  page.title =
      fmt::format("Gate: {} vs {}", comparison.candidates.back().file, comparison.candidates.front().file);
  page.summary.push_back(sentence(comparison, report));
  for (const std::string& failure : report.failures) page.summary.push_back({failure, Tone::kBad});
  for (const std::string& obstacle : report.obstacles) page.summary.push_back({obstacle, Tone::kWarning});
  if (report.cases.empty()) return page;
  page.data = slowdown_table(comparison, report);
  page.sections.push_back(
      {fmt::format("Slowdowns, threshold {}", percent_text(report.threshold)), {page.data}});
  return page;
}

}  // namespace gpubench
