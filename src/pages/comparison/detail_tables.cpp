#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "pages/comparison/comparison_page.h"
#include "pages/comparison/sections.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

/// Ratios of a versus, of a model or an operation, or of all.
struct ModelRow {
  const BaselineComparison* versus;
  std::string subject;  ///< Empty for all.

  std::vector<RowRatio> ratios(const ComparedMetric& metric) const {
    return row_ratios(*versus, metric, subject);
  }
  Measured<Estimate> mean(const ComparedMetric& metric) const {
    const std::vector<RowRatio> rows = ratios(metric);
    return rows.empty() ? Measured<Estimate>(missing("")) : compute_mean(rows);
  }
};

/// A row a model, and one for all of several; of many versus_baseline the last one alone.
std::vector<ModelRow> list_models(const Comparison& comparison) {
  const bool is_brief = comparison.versus_baseline.size() > kMostDetailed;
  std::vector<ModelRow> rows;
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    std::vector<std::string> subjects = list_subjects(versus);
    if (is_brief && subjects.size() > 1) subjects = {""};
    for (std::string& subject : subjects) rows.push_back({&versus, std::move(subject)});
  }
  return rows;
}

std::vector<OwnedScaling> list_scalings(const Comparison& comparison) {
  std::vector<OwnedScaling> rows;
  for (const Candidate& candidate : comparison.candidates) {
    for (const ScalingRow& row : candidate.scaling) rows.push_back({candidate.label, &row});
  }
  return rows;
}

}  // namespace

Table model_table(const Comparison& comparison) {
  using Row = ModelRow;
  const std::vector<Row> rows = list_models(comparison);
  Columns<Row> table(rows);
  table.text("pair", [](const Row& row) { return pair_name(*row.versus); });
  table.text(are_operations(comparison) ? "operation" : "model",
             [](const Row& row) { return row.subject.empty() ? "all" : row.subject; });
  table.number(row_noun(comparison) + "s", "", [](const Row& row) { return row.ratios(kSpeed).size(); });
  for (const auto& [heading, field] : {std::pair{"min", &Summary::min}, {"max", &Summary::max}}) {
    table.number(heading, "x", [member = field](const Row& row) {
      return summarize(ratio_values(row.ratios(kSpeed))).*member;
    });
  }
  std::vector<std::string> notes = {"Geometric means; above 1 the first of the pair is the better one"};
  for (const ComparedMetric& metric : kComparedMetrics) {
    if (!table.any([&](const Row& row) { return row.mean(metric).has_value(); })) continue;
    table.number(metric.label, "x", [&](const Row& row) { return ratio_cell(row.mean(metric)); });
    table.text("95 % interval", [&](const Row& row) { return interval_text(row.mean(metric)); });
    notes.push_back(fmt::format("{}: {}", metric.label, metric.formula));
  }
  table.text("verdict", [](const Row& row) {
    return outcome_cell(row.mean(kSpeed), compute_margin(*row.versus->base, *row.versus->other));
  });
  std::vector<std::string> labels;
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    if (list_subjects(versus).empty()) labels.push_back(versus.other->label);
  }
  if (!labels.empty())
    notes.push_back("No case whose times compare with those of the baseline: " + join(labels) + ".");
  return table.take("", std::move(notes));
}

Table difference_table(const BaselineComparison& versus) {
  if (!has_common_row(versus)) return {};
  const std::vector<DifferenceCount> rows = difference_counts(versus);
  Columns<DifferenceCount> table(rows);
  table.text("difference", [](const DifferenceCount& row) { return row.difference.what; });
  table.text(versus.base->label, [](const DifferenceCount& row) { return row.difference.left; });
  table.text(versus.other->label, [](const DifferenceCount& row) { return row.difference.right; });
  table.text("in",
             [](const DifferenceCount& row) { return row.rows == 0 ? "all" : counted(row.rows, "case"); });
  for (const Metric metric : kAllMetrics) {
    table.text(to_string(metric), [=](const DifferenceCount& row) {
      constexpr std::array kTones = {Tone::kMuted, Tone::kWarning, Tone::kBad};
      const Comparability effect = row.difference.on(metric);
      return Cell{effect == Comparability::kComparable ? "-" : to_string(effect),
                  {},
                  "",
                  kTones.at(static_cast<std::size_t>(effect))};
    });
  }
  return table.take(pair_name(versus));
}

Table failure_table(const Comparison& comparison) {
  const RowNames names(make_identities(comparison.candidates));
  using Row = CandidateRow;
  std::vector<Row> rows = make_rows(comparison.candidates);
  std::erase_if(rows, [](const Row& row) { return row.figures->is_ok; });
  Columns<Row> table(rows);
  table.text("candidate", [](const Row& row) { return row.candidate->label; });
  table.text(row_noun(comparison), [&](const Row& row) { return names.of(row.figures->identity); });
  table.text("status", [](const Row& row) { return Cell{row.figures->status, {}, "", Tone::kBad}; });
  table.text("because", [](const Row& row) { return row.figures->status_reason; });
  return table.take();
}

Table gain_table(const Comparison& comparison) {
  using Gain = RowRatio;
  std::vector<Gain> gains = gpu_benefits(comparison);
  append(gains, precision_gains(comparison));
  const RowNames names(mapped(make_rows(comparison.candidates),
                              [](const CandidateRow& row) { return row.figures->identity; }));
  Columns<Gain> table(gains);
  const auto name = [&](const CandidateRow& row) { return names.of(row.figures->identity); };
  table.text("", [](const Gain& gain) { return gain.other.candidate->label; });
  table.text("case", [&](const Gain& gain) { return name(gain.other); });
  table.text("against", [&](const Gain& gain) { return name(gain.base); });
  table.number("gain", "x", [](const Gain& gain) { return ratio_cell(gain.ratio); });
  table.text("95 % interval", [](const Gain& gain) { return interval_text(gain.ratio); });
  return table.take("", {"GPU against CPU, and other precisions against fp32: quotient of the epoch times"});
}

Table scaling_table(const Comparison& comparison) {
  std::vector<ScalingRow> rows;
  std::vector<std::string> owners;
  for (const auto& [owner, row] : list_scalings(comparison)) {
    rows.push_back(*row);
    owners.push_back(owner);
  }
  if (rows.empty()) return {};
  Table table = record_table("", scaling_fields(), rows, rows.front());
  table.columns.insert(table.columns.begin(), {""});
  for (std::size_t i = 0; i < owners.size(); ++i) table.rows[i].insert(table.rows[i].begin(), {owners[i]});
  return table;
}

Chart scaling_chart(const Comparison& comparison) {
  return efficiency_chart(list_scalings(comparison), RowNames(make_identities(comparison.candidates)));
}

Table machine_table(const Comparison& comparison) {
  using C = Candidate;
  const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
  Columns<C> table(comparison.candidates);
  table.text("", &C::label);
  if (is_ranking(comparison)) table.text("machine", &C::name);
  table.text("host", [](const C& one) { return one.published ? "published" : one.host; });
  table.text("device", [](const C& one) { return one.device.name; });
  table.text("model", [&](const C& one) { return or_dash(one.device.model); });
  table.add_told({"side"}, [](const C& one) { return one.side.empty() ? "" : one.distinction; });
  table.text("LibTorch", [&](const C& one) { return or_dash(find_condition(one, "LibTorch")); });
  table.number("threads", "",
               [](const C& one) { return one.threads > 0 ? std::to_string(one.threads) : "-"; });
  table.text(row_noun(comparison) + "s ok", [](const C& one) {
    const std::size_t good = count_of_good(one);
    return Cell{fmt::format("{} of {}", good, one.rows.size()), static_cast<double>(good)};
  });
  table.text("file", &C::file);
  return folded(table.take());
}

}  // namespace gpubench
