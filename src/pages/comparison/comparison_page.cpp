#include "pages/comparison/comparison_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "pages/comparison/sections.h"
#include "pages/format.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

/// "laptop, desk and node"
std::string make_title(const Comparison& comparison) {
  constexpr std::size_t kMostNames = 3;
  std::vector<std::string> names = mapped(comparison.candidates, &Candidate::name);
  if (names.empty()) return "Comparison";
  if (names.size() > kMostNames) return fmt::format("{} and {} others", names.front(), names.size() - 1);
  return join_all(std::move(names));
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
  constexpr std::size_t kMostRows = 40;
  append(page.summary, describe_ranking(rankings.front(), comparison));
  append(page.summary, ranking_notes(rankings, comparison));
  std::vector<Table> tables;
  std::size_t rows = 0;
  for (const Ranking& ranking : rankings) {
    rows += ranking.machines.size();
    const bool has_room = rows <= kMostRows && !are_operations(comparison);
    if (tables.empty() || has_room) tables.push_back(ranking_table(ranking, comparison));
  }
  if (rankings.size() > tables.size() && !are_operations(comparison))
    tables.back().notes.push_back(
        fmt::format("{} further rankings: name fewer cases", rankings.size() - tables.size()));
  add_section(page.sections, "Ranking", std::move(tables));
  add_section(page.sections, "Machines", machine_table(comparison));
}

constexpr std::ptrdiff_t kMostCautions = 4;

void add_details(const Comparison& comparison, Detail detail, std::vector<Paragraph> cautions, Page& page) {
  const bool is_short = comparison.versus_baseline.size() <= kMostDetailed;
  const bool is_of_ops = are_operations(comparison);
  const auto add = [&](const char* title, auto... parts) {
    add_section(page.sections, title, std::move(parts)...);
  };
  const auto add_energy = [&] {
    add("Energy", energy_absences(comparison.candidates),
        energy_table(comparison.candidates, comparison.price_kwh));
  };
  // Costs were asked for: they are part of the answer.
  if (comparison.price_kwh) add_energy();
  const bool has_charts = detail == Detail::kCharts;
  if (is_short && has_charts) add("Charts", comparison_charts(comparison));
  const std::size_t first = page.sections.size();
  add("Further cautions", std::move(cautions));
  if (is_short && is_ranking(comparison)) {
    std::vector<Paragraph> verdicts;
    for (const BaselineComparison& versus : comparison.versus_baseline)
      append(verdicts, describe_verdict(versus));
    add("Pair by pair", std::move(verdicts));
  }
  add("By model", model_table(comparison));
  if (is_short) {
    add(is_of_ops ? "Rows in detail" : "Cases in detail",
        mapped(comparison.versus_baseline,
               [](const BaselineComparison& versus) { return case_table(versus, /*is_detailed=*/true); }));
    if (!comparison.price_kwh) add_energy();
    add("Several ranks", scaling_table(comparison), has_charts ? scaling_chart(comparison) : Chart{});
    add("Differences", mapped(comparison.versus_baseline, difference_table));
    add("What did not run", failure_table(comparison));
    if (!is_of_ops) add("Gains within a file", gain_table(comparison));
  }
  if (!is_ranking(comparison)) add("Machines", machine_table(comparison));
  mark_details(page.sections, first);
}

/// "; use --repeat 5 on both sides"; empty where nothing helps.
std::string format_advice(const Comparison& comparison, const GateReport& report) {
  const bool has_intervals = std::ranges::all_of(
      report.cases, [](const GateCase& row) { return row.slowdown.interval.has_value(); });
  const std::string advice = advise(comparison.versus_baseline.front(), has_intervals);
  return advice.empty() ? "" : "; " + advice;
}

Paragraph sentence(const Comparison& comparison, const GateReport& report) {
  const std::string threshold = percent_text(report.threshold);
  switch (report.answer) {
    case GateVerdict::kRegression:
      return {std::string("Regression: this change makes ") +
                  (are_operations(comparison) ? "operations" : "training") + " slower.",
              Tone::kBad};
    case GateVerdict::kIncomparable:
      return {"Incomparable: not every case of the baseline can be judged.", Tone::kBad};
    case GateVerdict::kInconclusive:
      return {fmt::format("Inconclusive: the times are too uncertain for a threshold of {}{}.", threshold,
                          format_advice(comparison, report)),
              Tone::kWarning};
    case GateVerdict::kPass:
      break;
  }
  const bool is_whole = std::ranges::all_of(
      report.cases, [](const GateCase& row) { return row.verdict == GateVerdict::kPass; });
  return {is_whole ? "Pass: nothing is slower by more than " + threshold + "."
                   : "Pass: the mean is not slower by more than " + threshold +
                         ", and no case was measured slower than that.",
          Tone::kGood};
}

Cell verdict_cell(const GateCase& row, double limit) {
  if (row.verdict == GateVerdict::kPass) return {"pass", {}, "", Tone::kGood};
  if (row.verdict == GateVerdict::kRegression) return {"regression", {}, "", Tone::kBad};
  const Measured<Interval>& interval = row.slowdown.interval;
  std::string why = interval.reason();
  if (interval.has_value())
    why = interval.value().low > limit ? "above the threshold, but one of this many cases may be by chance"
                                       : "the interval includes the threshold";
  return {"inconclusive", {}, why, Tone::kWarning};
}

Table slowdown_table(const Comparison& comparison, const GateReport& report) {
  std::vector<GateCase> rows = report.cases;
  if (rows.size() > 1) rows.push_back(report.mean);
  const BaselineComparison& versus = comparison.versus_baseline.front();
  const char* const unit = are_in_alternation(*versus.base, *versus.other) ? "rounds" : "runs";
  Columns<GateCase> table(rows);
  table.text("case", &GateCase::name);
  table.number("new / old", "x", [](const GateCase& row) { return row.slowdown.value; });
  table.text("95 % interval", [](const GateCase& row) { return interval_text(row.slowdown); });
  table.text("verdict", [&](const GateCase& row) { return verdict_cell(row, 1 + report.threshold); });
  table.add_told({"needs"}, [&](const GateCase& row) {
    return row.repetitions_to_decide > 0 ? fmt::format("about {} {}", row.repetitions_to_decide, unit) : "";
  });
  return table.take();
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

void mark_details(std::vector<Section>& sections, std::size_t first) {
  for (std::size_t i = first; i < sections.size(); ++i) sections[i].is_detail = true;
}

Page comparison_page(const Comparison& comparison, Detail detail) {
  Page page{make_title(comparison), {}, {}, {}};
  if (comparison.versus_baseline.empty()) {
    page.summary.push_back(
        caution("There is nothing to compare: name two result files, or one of a machine with two devices."));
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
  add_details(comparison, detail, {rest, cautions.end()}, page);
  return page;
}

Comparison compared(std::span<const NamedOps> tables, std::optional<double> equality_margin) {
  std::vector<Candidate> candidates;
  for (const NamedOps& table : tables) append(candidates, make_candidates(table.ops, table.name));
  Comparison comparison = compare(std::move(candidates), false, equality_margin);
  if (!comparison.versus_baseline.empty()) return comparison;
  throw Error(ErrorKind::kUsage,
              "compare: only one device is in these tables of operations; name a second file, or "
              "published:m3-max/mps");
}

Page ops_comparison_page(std::span<const NamedOps> tables, std::optional<double> equality_margin) {
  const Comparison comparison = compared(tables, equality_margin);
  Page page = comparison_page(comparison, Detail::kCharts);
  page.data = comparison_data(comparison);
  std::vector<Surroundings> all;
  for (const NamedOps& table : tables) {
    if (!table.ops.published) all.push_back({table.name, &table.ops.tool, &table.ops.environment});
  }
  const std::size_t first = page.sections.size();
  if (!all.empty()) page.sections.push_back(environments_section(all));
  mark_details(page.sections, first);
  return page;
}

Page gate_page(const Comparison& comparison, const GateReport& report) {
  Page page;
  page.title = fmt::format("Gate: {} against {}", comparison.candidates.back().file,
                           comparison.candidates.front().file);
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
