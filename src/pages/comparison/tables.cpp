#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "pages/comparison/sections.h"
#include "pages/format.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

using Pairs = Columns<Pair>;
using Notes = std::vector<std::string>;

/// Returns "mlp, batch 128"; for sides that differ "mlp, batch 128 / mlp, batch 128, bf16".
std::string format_case(const Pair& pair, const RowNames& names) {
  const auto format = [&](const RowFigures& row) { return names.of(row.identity.without({"device"})); };
  const std::string one = format(pair.any());
  if (!pair.is_common() || one == format(*pair.other)) return one;
  return one + " / " + format(*pair.other);
}

Tone find_tone(Outcome outcome) {
  if (outcome == Outcome::kBetter) return Tone::kGood;
  return outcome == Outcome::kWorse ? Tone::kBad : Tone::kPlain;
}

Cell ratio_cell(const Measured<Estimate>& ratio) {
  if (!ratio.has_value()) return no_figure(ratio.reason());
  Cell cell = number_cell(ratio.value().value);
  cell.tone = find_tone(decide_outcome(ratio.value()));
  if (!ratio.value().interval.has_value()) cell.note = "no interval: " + ratio.value().interval.reason();
  return cell;
}

/// Returns "faster", "slower", "equal within 5 %", "inconclusive" or "unknown".
Cell outcome_cell(const Measured<Estimate>& ratio, double margin) {
  if (!ratio.has_value()) return no_figure("");
  const Outcome outcome = decide_outcome(ratio.value(), margin);
  constexpr std::array kNames = {"faster", "slower", "equal within ", "inconclusive", "unknown"};
  std::string name = kNames[static_cast<std::size_t>(outcome)];
  if (outcome == Outcome::kEqual) name += percent_text(margin);
  return {std::move(name), {}, "", find_tone(outcome)};
}

/// Returns the time, or the status of a failed row.
Cell time_cell(const RowFigures* figures) {
  if (figures == nullptr) return {"none", {}, "", Tone::kMuted};
  if (!figures->is_ok) return {figures->status, {}, figures->status_reason, Tone::kBad};
  const Measured<double> seconds = figures->seconds.then(&Estimate::value);
  Cell cell = figures->identity.at("op").empty() ? number_cell(seconds) : duration_cell(seconds);
  if (figures->failures > 0 && seconds.has_value()) {
    cell.note =
        fmt::format("{} of {} repeats failed", figures->failures, figures->failures + figures->processes);
    cell.tone = Tone::kWarning;
  }
  return cell;
}

/// Returns the ratio; in the details with a note on the differences that weaken it.
Cell make_ratio_cell(const ComparedMetric& metric, const Pair& pair, bool is_detailed) {
  Cell cell = ratio_cell(compute_ratio(metric, pair));
  // The time cells already show that a row is missing or failed.
  if (!pair.is_common() || !pair.base->is_ok || !pair.other->is_ok) cell.note.clear();
  if (!cell.value) return cell;
  if (!is_detailed) cell.note.clear();
  Notes caveats;
  for (const Difference& difference : pair.differences) {
    if (is_detailed && difference.on(metric.metric) != Comparability::kComparable)
      caveats.push_back(format_sentence(difference, *pair.versus));
  }
  if (!caveats.empty()) cell.note = join(caveats, "; ");
  return cell;
}

void add_ratios(Pairs& table, const std::string& times, bool is_detailed) {
  for (const ComparedMetric& metric : kComparedMetrics) {
    const bool is_time = metric.metric == Metric::kTime;
    const auto has_ratio = [&](const Pair& pair) { return compute_ratio(metric, pair).has_value(); };
    if (!is_time && !table.any(has_ratio)) continue;
    if (!is_time && !is_detailed && &metric != &kEnergy) continue;
    table.number(is_time ? times : metric.label, "x",
                 [&](const Pair& pair) { return make_ratio_cell(metric, pair, is_detailed); });
    const auto interval = [&](const Pair& pair) { return interval_text(compute_ratio(metric, pair)); };
    if (is_time || is_detailed) table.add_known({"95 % interval"}, interval);
  }
}

void add_startups(Pairs& table, const BaselineComparison& versus) {
  for (const auto& [candidate, side] : {std::pair{versus.base, &Pair::base}, {versus.other, &Pair::other}}) {
    const auto make_cell = [row = side](const Pair& pair) {
      return pair.*row == nullptr ? no_figure("") : number_cell((pair.*row)->startup_seconds);
    };
    table.add_known({candidate->label + " start-up", "s", true}, make_cell);
  }
}

const std::string& find_precision(const RankedMachine& machine) {
  return machine.best->identity.at("precision");
}

bool has_precisions(const Ranking& ranking) {
  return ranking.cases == 1 && std::ranges::any_of(ranking.machines, [](const RankedMachine& machine) {
           return machine.fp32 != machine.best && !find_precision(machine).empty();
         });
}

/// Returns "-" without a row, and for operations and publications without a number of samples.
Cell throughput_cell(const RowFigures* row) {
  if (row == nullptr || row->identity.number("train_samples") <= 0) return no_figure("");
  return number_cell(compute_throughput(*row));
}

/// Returns "27,105 bf16".
Cell fastest_cell(const RankedMachine& machine) {
  Cell cell = throughput_cell(machine.best);
  cell.text += " " + find_precision(machine);
  return cell;
}

Cell energy_cell(const RankedMachine& machine) {
  const Measured<double> joules = machine.best->epoch_joules.then(&Estimate::value);
  return joules.has_value() ? number_cell(joules) : no_figure("");
}

Cell cost_cell(const RankedMachine& machine) {
  const std::optional<double> cost = cost_per_million(machine);
  return cost ? number_cell(*cost) : no_figure("");
}

/// Ratios of a pair for one model or operation, or for all.
struct ModelRow {
  const BaselineComparison* versus;
  std::string subject;  ///< Model or operation; empty for all.

  std::vector<RowRatio> ratios(const ComparedMetric& metric) const {
    return row_ratios(*versus, metric, subject);
  }
  Measured<Estimate> mean(const ComparedMetric& metric) const {
    const std::vector<RowRatio> rows = ratios(metric);
    return rows.empty() ? Measured<Estimate>(missing("")) : compute_mean(rows);
  }
};

/// Returns a row per model and one for all models; with many candidates only the latter.
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

}  // namespace

Table case_table(const BaselineComparison& versus, bool is_detailed) {
  constexpr std::size_t kMostAnswerRows = 20;
  if (!has_common_row(versus)) return {};
  std::vector<Pair> pairs = versus.pairs;
  const bool is_of_ops = has_operations(*versus.base);
  if (is_of_ops) std::erase_if(pairs, [](const Pair& pair) { return !speed_ratio(pair).has_value(); });
  const RowNames names(
      mapped(versus.pairs, [](const Pair& pair) { return pair.any().identity.without({"device"}); }));
  const std::size_t count = pairs.size();
  if (!is_detailed) pairs.resize(std::min(count, kMostAnswerRows));
  Pairs table(pairs);
  const std::string& base = versus.base->label;
  const std::string& other = versus.other->label;
  const std::string what = is_of_ops ? "call" : "epoch";
  const std::string unit = is_of_ops ? "" : "s";
  table.text(is_of_ops ? "row" : "case", [&](const Pair& pair) { return format_case(pair, names); });
  table.number(base + " " + what, unit, [](const Pair& pair) { return time_cell(pair.base); });
  table.number(other + " " + what, unit, [](const Pair& pair) { return time_cell(pair.other); });
  add_ratios(table, base + " / " + other, is_detailed);
  table.text(other + " is", [](const Pair& pair) {
    return pair.is_common() ? outcome_cell(speed_ratio(pair), compute_margin(pair)) : no_figure("");
  });
  Notes notes = {fmt::format("Median {} time; ratio above 1: {} is better", what, other)};
  if (std::string noise = describe_noise(versus); !noise.empty()) notes.push_back(std::move(noise));
  if (is_detailed) add_startups(table, versus);
  if (pairs.size() < count) notes.push_back(fmt::format("{} more in the details", count - pairs.size()));
  return table.take(is_detailed ? pair_name(versus) : "", std::move(notes));
}

Table ranking_table(const Ranking& ranking, const Comparison& comparison) {
  using Row = RankedMachine;
  const RowNames names(make_identities(comparison.candidates));
  Columns<Row> table(ranking.machines);
  const bool is_of_one = ranking.cases == 1;
  table.number("rank", "", [](const Row& row) {
    return Cell{std::to_string(row.rank) + (row.is_certain ? "" : "?"), static_cast<double>(row.rank)};
  });
  table.text("machine", [](const Row& row) { return row.candidate->name; });
  if (has_precisions(ranking)) {
    table.number("fp32", "", [](const Row& row) { return throughput_cell(row.fp32); });
    table.number("fastest", "", fastest_cell);
  } else if (is_of_one) {
    table.add_known({"samples/s", "", true}, [](const Row& row) { return throughput_cell(row.best); });
  }
  const bool is_of_fastest = ranking.reference == ranking.machines.front().candidate;
  table.number(is_of_fastest ? "relative" : "relative to " + ranking.reference->name, "",
               [](const Row& row) { return row.relative.value; });
  table.text("95 % interval", [&](const Row& row) {
    return row.candidate == ranking.reference ? std::string() : interval_text(row.relative);
  });
  if (is_of_one) table.add_known({"J/epoch", "", true}, energy_cell);
  table.add_known({"cost/1M", "", true}, cost_cell);
  std::vector<std::string> notes;
  if (!ranking.left_out.empty())
    notes.push_back("Not ranked (different network): " + join(mapped(ranking.left_out, &Candidate::name)));
  const std::string all =
      fmt::format("All {}s in common (geometric mean of {})", row_noun(comparison), ranking.cases);
  const std::string title = names.of(ranking.work) + (has_precisions(ranking) ? " (samples/s)" : "");
  return table.take(is_of_one ? title : all, std::move(notes));
}

std::vector<Paragraph> ranking_notes(const std::vector<Ranking>& rankings, const Comparison& comparison) {
  const auto any = [&](const auto& matches) {
    return std::ranges::any_of(
        rankings, [&](const Ranking& ranking) { return std::ranges::any_of(ranking.machines, matches); });
  };
  std::vector<Paragraph> notes;
  if (std::ranges::any_of(rankings, has_precisions))
    notes.push_back({"Machines are ranked by their fastest precision; fp32 is shown for reference."});
  const auto shares_rank = [&](const Ranking& ranking) {
    std::size_t place = 0;
    return std::ranges::any_of(ranking.machines,
                               [&](const RankedMachine& one) { return one.rank != ++place; });
  };
  if (std::ranges::any_of(rankings, shares_rank))
    notes.push_back({"Equal rank: the intervals overlap, so the difference is not significant."});
  if (any([](const RankedMachine& machine) { return !machine.is_certain; }))
    notes.push_back({"?: without an interval, the order may be chance; use --repeat 3."});
  std::vector<std::string> unranked;
  for (const Candidate& one : comparison.candidates) {
    if (!any([&](const RankedMachine& machine) { return machine.candidate == &one; }))
      unranked.push_back(one.name);
  }
  if (!unranked.empty())
    notes.push_back(caution("Not ranked (no case in common with another machine): {}.", join(unranked)));
  return notes;
}

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
  std::vector<std::string> notes = {"Geometric means; ratio above 1: better than the baseline"};
  for (const ComparedMetric& metric : kComparedMetrics) {
    if (!table.any([&](const Row& row) { return row.mean(metric).has_value(); })) continue;
    table.number(metric.label, "x", [&](const Row& row) { return ratio_cell(row.mean(metric)); });
    table.text("95 % interval", [&](const Row& row) { return interval_text(row.mean(metric)); });
    notes.push_back(fmt::format("{}: {}", metric.label, metric.formula));
  }
  table.text("verdict", [](const Row& row) {
    return outcome_cell(row.mean(kSpeed), compute_margin(*row.versus->base, *row.versus->other));
  });
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
  table.text("reason", [](const Row& row) { return row.figures->status_reason; });
  return table.take();
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
  table.add_known({"variant"}, [](const C& one) { return one.variant.empty() ? "" : one.distinction; });
  table.text("LibTorch", [&](const C& one) { return or_dash(find_condition(one, "LibTorch")); });
  table.number("threads", "",
               [](const C& one) { return one.threads > 0 ? std::to_string(one.threads) : "-"; });
  table.text(row_noun(comparison) + "s ok", [](const C& one) {
    const std::size_t good = count_ok_rows(one);
    return Cell{fmt::format("{} of {}", good, one.rows.size()), static_cast<double>(good)};
  });
  table.text("file", &C::file);
  return folded(table.take());
}

}  // namespace gpubench
