#include "pages/comparison/comparison_page.h"

#include <algorithm>
#include <map>

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

std::string make_title(const Comparison& comparison) {
  if (comparison.candidates.empty()) return "Comparison";
  std::string title = format_description(comparison.candidates.front());
  const std::size_t others = comparison.candidates.size() - 1;
  if (others == 1) return title + " and " + format_description(comparison.candidates[1]);
  return others == 0 ? title : fmt::format("{} and {} others", title, others);
}

Table candidate_table(const Comparison& comparison) {
  using C = Candidate;
  const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
  Columns<C> table(comparison.candidates);
  table.text("", &C::label);
  table.text("host", [](const C& one) {
    if (one.published) return Cell{"published, other protocol", {}, one.published->note};
    return Cell{one.host};
  });
  table.text("device", [](const C& one) { return one.device.name; });
  table.text("model", [&](const C& one) { return or_dash(one.device.model); });
  table.add_told({"side"}, [](const C& one) { return one.side.empty() ? "" : one.distinction; });
  table.text("LibTorch", [&](const C& one) { return or_dash(one.libtorch_version); });
  table.number("threads", "",
               [](const C& one) { return one.threads > 0 ? std::to_string(one.threads) : "-"; });
  table.text(row_noun(comparison) + "s ok", [](const C& one) {
    const std::size_t good = count_of_good(one);
    return Cell{fmt::format("{} of {}", good, one.rows.size()), static_cast<double>(good)};
  });
  table.text("file", &C::file);
  return table.take();
}

/// Adds each publication once, with its candidates.
void add_publications(const Comparison& comparison, Page& page) {
  std::map<std::string, std::vector<std::string>> labels;
  for (const Candidate& candidate : comparison.candidates) {
    if (candidate.published)
      labels[candidate.published->title + ". " + candidate.published->note].push_back(candidate.label);
  }
  for (const auto& [text, those] : labels)
    page.summary.push_back(caution("{}: published, other protocol: {}", join(those), text));
}

/// Advice for an inconclusive gate.
std::string remedy(const Comparison& comparison, const GateReport& report) {
  const bool is_unknown = std::ranges::any_of(
      report.outcome.cases, [](const GateCase& row) { return !row.slowdown.interval.has_value(); });
  const BaselineComparison& versus = comparison.versus_baseline.front();
  return is_unknown ? remedy_for(versus) : make_hint(versus);
}

Paragraph sentence(const Comparison& comparison, const GateReport& report) {
  const std::string threshold = percent_text(report.outcome.threshold);
  switch (report.answer) {
    case GateVerdict::kRegression:
      return {std::string("Regression: this change makes ") +
                  (are_operations(comparison) ? "operations" : "training") + " slower.",
              Tone::kBad};
    case GateVerdict::kIncomparable:
      return {"Incomparable: not every case of the baseline can be judged.", Tone::kBad};
    case GateVerdict::kInconclusive:
      return {fmt::format("Inconclusive: the times are too uncertain for a threshold of {}.{}", threshold,
                          remedy(comparison, report)),
              Tone::kWarning};
    case GateVerdict::kPass:
      break;
  }
  const bool is_whole = std::ranges::all_of(
      report.outcome.cases, [](const GateCase& row) { return row.verdict == GateVerdict::kPass; });
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
    why = interval.value().low > limit ? "above the threshold, but one of that many cases may be so by chance"
                                       : "the interval includes the threshold";
  return {"inconclusive", {}, why, Tone::kWarning};
}

Table slowdown_table(const Comparison& comparison, const GateReport& report) {
  std::vector<GateCase> rows = report.outcome.cases;
  if (rows.size() > 1) rows.push_back(report.outcome.mean);
  const BaselineComparison& versus = comparison.versus_baseline.front();
  const char* const unit = are_in_alternation(*versus.base, *versus.other) ? "rounds" : "runs";
  Columns<GateCase> table(rows);
  table.text("case", &GateCase::name);
  table.number("new / old", "x", [](const GateCase& row) { return row.slowdown.value; });
  table.text("95 % interval", [](const GateCase& row) { return interval_text(row.slowdown); });
  table.text("verdict", [&](const GateCase& row) { return verdict_cell(row, 1 + report.outcome.threshold); });
  table.add_told({"needs"}, [&](const GateCase& row) {
    const Measured<std::int64_t>& needed = row.repetitions_to_decide;
    return needed.has_value() ? fmt::format("about {} {}", needed.value(), unit) : "";
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

Page comparison_page(const Comparison& comparison, Detail detail) {
  Page page{make_title(comparison), comparison_summary(comparison), {}, {}};
  add_publications(comparison, page);
  if (comparison.versus_baseline.empty()) return page;
  const bool is_detailed = comparison.versus_baseline.size() <= kMostDetailed;
  const bool is_of_ops = are_operations(comparison);
  const auto add = [&](const char* title, auto... parts) {
    add_section(page.sections, title, std::move(parts)...);
  };
  if (is_detailed && detail == Detail::kCharts) add("Charts", comparison_charts(comparison));
  add("How many times as fast", model_table(comparison));
  add("How much less energy", energy_model_table(comparison));
  if (is_detailed) {
    add(is_of_ops ? "Rows" : "Cases", mapped(comparison.versus_baseline, case_table));
    add("Energy", energy_absences(comparison.candidates),
        energy_table(comparison.candidates, comparison.price_kwh));
    add("What several ranks gain", scaling_table(comparison),
        detail == Detail::kCharts ? scaling_chart(comparison) : Chart{});
    if (!is_of_ops) add("Comparable?", verdict_table(comparison));
    add("What did not run", failure_table(comparison));
    if (!is_of_ops) add("GPU benefit", gpu_benefit_table(comparison));
    add("Precision gain", precision_gain_table(comparison));
    add("Measured peaks beside measured times", peak_table(comparison));
  }
  add("Who", candidate_table(comparison));
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
  if (!all.empty()) page.sections.push_back(environments_section(all));
  return page;
}

Page gate_page(const Comparison& comparison, const GateReport& report) {
  Page page;
  page.title = fmt::format("Gate: {} against {}", comparison.candidates.back().file,
                           comparison.candidates.front().file);
  page.summary.push_back(sentence(comparison, report));
  for (const std::string& failure : report.failures) page.summary.push_back({failure, Tone::kBad});
  for (const std::string& obstacle : report.obstacles) page.summary.push_back({obstacle, Tone::kWarning});
  if (report.outcome.cases.empty()) return page;
  page.data = slowdown_table(comparison, report);
  page.sections.push_back(
      {fmt::format("Slowdowns, threshold {}", percent_text(report.outcome.threshold)), {page.data}});
  return page;
}

}  // namespace gpubench
