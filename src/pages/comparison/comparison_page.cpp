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
    add_point(chart.series, rest.empty() ? candidate->name : candidate->name + ", " + rest,
              make_point(static_cast<double>(batch), typical_seconds(*row).value()));
  }
  return chart;
}

/// Makes a bar per pair and case. Operations have too many rows, so their bars are means per operation.
Chart ratio_chart(const Comparison& comparison, const Metric* metric) {
  const std::string reference = comparison.versus_baseline.front().base->name;
  const std::string noun = metric == nullptr ? "Speed" : "Ratio of " + metric->noun();
  Chart chart{noun + " relative to " + reference,
              ChartKind::kBars,
              {are_operations(comparison) ? "operation" : "case"},
              {metric == nullptr ? "speed relative to " + reference : "above 1: better", "x", true},
              {},
              1.0};
  const RowNames names(make_identities(comparison.candidates));
  for (const CandidatePair& versus : comparison.versus_baseline) {
    const auto find_category = [&](const RowRatio& row) {
      return are_operations(comparison) ? row.subject() : names.of(row.base.row->identity);
    };
    for (const auto& [category, rows] : grouped(row_ratios(versus, metric), find_category))
      add_bar(chart, versus.other->name, category, compute_mean(rows));
  }
  return chart;
}

/// Makes a chart of energy over time; without series if fewer than two candidates have both.
Chart front_chart(std::vector<CandidateRow> rows, const RowNames& names) {
  const auto find_joules = [](const CandidateRow& row) { return row.row->estimate("mean_epoch_joules"); };
  std::erase_if(rows, [&](const CandidateRow& row) { return !find_joules(row).has_value(); });
  Chart chart{"Time and energy per epoch",
              ChartKind::kPoints,
              {"median epoch time", "s", true},
              {"energy per epoch", "J", true},
              {}};
  if (grouped(rows, &CandidateRow::candidate).size() < 2) return chart;
  for (const CandidateRow& row : rows) {
    Point point = make_point(typical_seconds(*row.row).value().value, find_joules(row).value());
    point.name = names.of(row.row->identity);
    add_point(chart.series, row.candidate->name, std::move(point));
  }
  return chart;
}

std::vector<Chart> list_charts(const Comparison& comparison) {
  const RowNames names(make_identities(comparison.candidates));
  std::vector<CandidateRow> timed = list_rows(comparison.candidates);
  std::erase_if(timed, [](const CandidateRow& row) { return !typical_seconds(*row.row).has_value(); });
  std::vector<Chart> charts = {ratio_chart(comparison, &find_metric("mean_epoch_joules", "")),
                               front_chart(timed, names)};
  if (is_ranking(comparison)) charts.insert(charts.begin(), ratio_chart(comparison, nullptr));
  if (are_operations(comparison)) return charts;
  const auto find_model = [](const CandidateRow& row) { return row.row->identity.subject(); };
  for (const auto& [model, rows] : grouped(timed, find_model))
    charts.push_back(epoch_chart(model, rows, names));
  return charts;
}

void add_verdict(const Comparison& comparison, Page& page) {
  std::vector<Table> tables;
  for (const CandidatePair& versus : comparison.versus_baseline) {
    if (tables.size() == kMostDetailed) break;
    append(page.summary, describe_verdict(versus, comparison));
    for (const Metric* metric : shown_metrics(comparison))
      tables.push_back(case_table(versus, metric, /*is_detailed=*/false));
  }
  const CandidatePair& first = comparison.versus_baseline.front();
  if (const std::vector<RowRatio> ratios = row_ratios(first); !ratios.empty())
    page.answer = outcome_word(decide_outcome(compute_mean(ratios), first.margin()), first.margin(),
                               MetricClass::kTime);
  // Has no title, so that it stands directly under the answer.
  add_section(page.sections, "", ratio_chart(comparison, nullptr));
  add_section(page.sections, are_operations(comparison) ? "Rows" : "Cases", std::move(tables));
}

void add_ranking(const Comparison& comparison, const std::vector<Ranking>& rankings, Page& page) {
  constexpr std::size_t kMostRankings = 4;
  append(page.summary, describe_ranking(rankings.front(), comparison));
  append(page.summary, ranking_notes(rankings, comparison));
  const std::string title = "Speed relative to " + rankings.front().reference->name;
  Chart chart{title, ChartKind::kBars, {"machine"}, {title, "x", true}, {}, 1.0};
  for (const RankedCandidate& one : rankings.front().candidates)
    add_bar(chart, "speed", one.candidate->name, one.relative);
  add_section(page.sections, "", std::move(chart));
  std::vector<Table> tables;
  for (const Ranking& ranking : std::span(rankings).first(std::min(kMostRankings, rankings.size())))
    tables.push_back(ranking_table(ranking, comparison));
  if (rankings.size() > tables.size())
    tables.back().notes.push_back(
        fmt::format("{} more groups of comparable machines are not shown", rankings.size() - tables.size()));
  add_section(page.sections, "Ranking", std::move(tables));
  const bool has_cases = rankings.size() > 1 || rankings.front().works.size() > 1;
  if (!are_operations(comparison) && (has_cases || !comparison.metrics.empty())) {
    add_section(page.sections, "Cases", mapped(shown_metrics(comparison), [&](const Metric* metric) {
                  return matrix_table(comparison, metric);
                }));
  }
  add_section(page.sections, "Machines", machine_table(comparison));
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
    std::vector<Table> cases;
    for (const CandidatePair& versus : comparison.versus_baseline) {
      for (const Metric* metric : compared_metrics(comparison))
        cases.push_back(case_table(versus, metric, /*is_detailed=*/true));
    }
    add(is_of_ops ? "Rows in detail" : "Cases in detail", std::move(cases));
    if (!comparison.price_kwh) add_energy();
    std::vector<OwnedScaling> scalings;
    for (const Candidate& candidate : comparison.candidates) {
      for (const ScalingRow& row : candidate.scaling) scalings.push_back({candidate.name, row});
    }
    add("Scaling", scaling_table(scalings),
        efficiency_chart(scalings, RowNames(make_identities(comparison.candidates))));
    add("Differences", mapped(comparison.versus_baseline, difference_table));
    add(is_of_ops ? "Failed rows" : "Failed cases", failure_table(comparison));
  }
  if (!is_ranking(comparison)) add("Machines", machine_table(comparison));
  mark_details(page.sections, first);
}

Paragraph describe_answer(const Comparison& comparison, const GateReport& report,
                          const std::vector<GateCase>& losses) {
  const std::string threshold = join(mapped(report.groups, [&](const GateGroup& group) {
    const GateLimit& limit = group.mean.limit;
    return percent_text(limit.threshold) + (report.groups.size() > 1 ? " (" + limit.noun() + ")" : "");
  }));
  if (report.answer == GateVerdict::kIncomparable)
    return {"Incomparable: the change cannot be judged.", Tone::kBad};
  if (report.answer == GateVerdict::kRegression) {
    const bool is_time = std::ranges::all_of(
        report.groups, [](const GateGroup& group) { return group.mean.limit.noun() == "time"; });
    if (!is_time) return {"Regression: this change makes a metric worse.", Tone::kBad};
    const char* const work = are_operations(comparison) ? "operations" : "training";
    return {fmt::format("Regression: this change makes {} slower.", work), Tone::kBad};
  }
  if (report.answer == GateVerdict::kInconclusive) {
    const bool has_intervals =
        std::ranges::all_of(losses, [](const GateCase& row) { return row.loss.interval.has_value(); });
    const std::string advice = advise(comparison.versus_baseline.front(), has_intervals);
    return caution("Inconclusive: the values are too uncertain for a threshold of {}{}.", threshold,
                   prepend_if_any("; ", advice));
  }
  const bool is_whole =
      std::ranges::all_of(losses, [](const GateCase& row) { return row.verdict == GateVerdict::kPass; });
  return {fmt::format("Pass: {} is worse by more than {}.",
                      is_whole ? "no case" : "neither the mean nor any measured case", threshold),
          Tone::kGood};
}

Cell verdict_cell(const GateCase& row) {
  const std::string word = to_string(row.verdict);
  if (row.verdict == GateVerdict::kPass) return {word, {}, "", Tone::kGood};
  if (row.verdict == GateVerdict::kRegression) return {word, {}, "", Tone::kBad};
  const Measured<Interval>& interval = row.loss.interval;
  if (!interval.has_value()) return {word, {}, interval.reason(), Tone::kWarning};
  const char* const why = interval.value().low > 1 + row.limit.threshold
                              ? "above the threshold, but may be chance among this many cases"
                              : "the interval includes the threshold";
  return {word, {}, why, Tone::kWarning};
}

Table loss_table(const Comparison& comparison, const GateReport& report, const std::vector<GateCase>& rows) {
  const CandidatePair& versus = comparison.versus_baseline.front();
  const char* const unit = versus.is_interleaved() ? "rounds" : "repeats";
  Columns<GateCase> table(rows);
  table.text("case", &GateCase::name);
  if (report.groups.size() > 1 || rows.front().limit.metric != nullptr)
    table.text("metric", [](const GateCase& row) { return row.limit.noun(); });
  table.number("loss", "x", [](const GateCase& row) { return row.loss.value; });
  table.text("95 % interval", [](const GateCase& row) { return interval_text(row.loss); });
  table.text("limit", [](const GateCase& row) { return percent_text(row.limit.threshold); });
  table.text("verdict", verdict_cell);
  table.add_known({"needs"}, [&](const GateCase& row) {
    return row.repetitions_to_decide > 0 ? fmt::format("about {} {}", row.repetitions_to_decide, unit) : "";
  });
  std::vector<std::string> notes = {"Loss: new over old time, or old over new if higher is better"};
  for (const CandidatePair& one : comparison.versus_baseline) {
    if (std::string noise = describe_noise(one); !noise.empty()) add_once(notes, noise);
  }
  return table.take("", std::move(notes));
}

Table loss_data(const std::vector<GateCase>& rows) {
  Columns<GateCase> table(rows);
  table.text("case", &GateCase::name);
  table.text("metric", [](const GateCase& row) { return row.limit.metric ? row.limit.metric->key : "main"; });
  table.add_estimate({"loss", "loss_low", "loss_high"}, [](const GateCase& row) { return row.loss; });
  table.text("threshold", [](const GateCase& row) { return Cell{"", row.limit.threshold}; });
  table.text("verdict", [](const GateCase& row) { return to_string(row.verdict); });
  table.text("needed_repeats", &GateCase::repetitions_to_decide);
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

bool has_common_row(const CandidatePair& versus) {
  return std::ranges::any_of(versus.pairs, &Pair::is_common);
}

bool is_ranking(const Comparison& comparison) {
  const auto has_price = [](const Candidate& one) { return one.price_per_hour.has_value(); };
  return comparison.candidates.size() > 2 || std::ranges::any_of(comparison.candidates, has_price);
}

Page comparison_page(const Comparison& comparison) {
  constexpr std::ptrdiff_t kMostCautions = 4;
  const std::size_t count = comparison.candidates.size();
  Page page;
  page.title = comparison.versus_baseline.size() == 1 ? pair_name(comparison.versus_baseline.front())
               : count == 0                           ? "Comparison"
                            : fmt::format("Which of {} machines is fastest?", count);
  if (comparison.versus_baseline.empty()) {
    page.summary.push_back(caution("No comparison: give two result files, or one file with two devices."));
    return page;
  }
  std::vector<Ranking> rankings;
  if (is_ranking(comparison)) rankings = rank_candidates(comparison);
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
  page.answer = to_string(report.answer);
  std::vector<GateCase> losses;  // The cases of each limit, followed by their mean.
  for (const GateGroup& group : report.groups) {
    append(losses, group.cases);
    if (group.cases.size() > 1) losses.push_back(group.mean);
  }
  page.summary.push_back(describe_answer(comparison, report, losses));
  for (const std::string& failure : report.failures) page.summary.push_back({failure, Tone::kBad});
  for (const std::string& obstacle : report.obstacles) page.summary.push_back(caution("{}.", obstacle));
  for (const Paragraph& caution : list_cautions(comparison)) {
    const std::string start = caution.text.substr(0, caution.text.size() - 1);
    const auto repeats_it = [&](const std::string& obstacle) { return obstacle.starts_with(start); };
    if (std::ranges::none_of(report.obstacles, repeats_it)) page.summary.push_back(caution);
  }
  if (report.groups.empty()) return page;
  page.data = loss_data(losses);
  add_section(page.sections, "Losses", loss_table(comparison, report, losses));
  return page;
}

}  // namespace gpubench
