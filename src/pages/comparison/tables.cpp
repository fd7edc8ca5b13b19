#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "pages/comparison/sections.h"
#include "pages/format.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

using Notes = std::vector<std::string>;

/// Returns "mlp, batch 128"; for sides that differ "mlp, batch 128 / mlp, batch 128, bf16".
std::string format_case(const Pair& pair, const RowNames& names) {
  const std::string one = names.of(pair.any().identity);
  const std::string other = pair.is_common() ? names.of(pair.other->identity) : one;
  return one == other ? one : one + " / " + other;
}

Tone find_tone(Outcome outcome) {
  if (outcome == Outcome::kBetter) return Tone::kGood;
  return outcome == Outcome::kWorse ? Tone::kBad : Tone::kPlain;
}

/// A pair with its ratio by the metric of a table; null: by its main metric.
struct ShownPair : Pair {
  Measured<RowRatio> ratio{};
};

Cell ratio_cell(const Measured<Estimate>& ratio) {
  if (!ratio.has_value()) return no_figure(ratio.reason());
  Cell cell = number_cell(ratio.value().value);
  cell.tone = find_tone(decide_outcome(ratio.value()));
  if (!ratio.value().interval.has_value()) cell.note = "no interval: " + ratio.value().interval.reason();
  return cell;
}

Cell outcome_cell(const Estimate& ratio, double margin, MetricClass metric_class) {
  const Outcome outcome = decide_outcome(ratio, margin);
  return {outcome_word(outcome, margin, metric_class), {}, "", find_tone(outcome)};
}

/// Returns the value of a metric without the unit of the column, or the status of a failed row. Null: the
/// main metric of the row.
Cell row_cell(const ComparedRow* row, const Metric* metric, const std::string& unit = "") {
  if (row == nullptr) return {"none", {}, "", Tone::kMuted};
  if (!row->is_ok) return {row->status, {}, row->status_reason, Tone::kBad};
  const Metric* const shown = metric != nullptr ? metric : find_main_metric({row});
  const Measured<Estimate> value = shown == nullptr ? typical_seconds(*row) : row->estimate(*shown);
  if (!value.has_value()) return no_figure(value.reason());
  Cell cell = metric_cell(value.value().value, *shown);
  if (!unit.empty() && cell.text.ends_with(" " + unit)) cell.text.resize(cell.text.size() - unit.size() - 1);
  if (row->failures > 0) {
    cell.note = fmt::format("{} of {} repeats failed", row->failures, row->failures + row->processes);
    cell.tone = Tone::kWarning;
  }
  return cell;
}

/// Returns the ratio; in the details with a note on the differences that weaken it.
Cell make_ratio_cell(const ShownPair& pair, bool is_detailed) {
  Cell cell = ratio_cell(pair.ratio.then(&RowRatio::ratio));
  // The cells of the rows already show that a row is missing or failed.
  if (!pair.is_common() || !pair.base->is_ok || !pair.other->is_ok) cell.note.clear();
  if (!cell.value) return cell;
  if (!is_detailed) cell.note.clear();
  Notes caveats;
  for (const Difference& difference : pair.differences) {
    const MetricClass metric_class = pair.ratio.value().over->metric->use->metric_class;
    if (is_detailed && difference.on(metric_class) != Comparability::kComparable)
      caveats.push_back(format_sentence(difference, *pair.owner));
  }
  if (!caveats.empty()) cell.note = join(caveats, "; ");
  return cell;
}

/// Returns the metric; null: the main one of the pairs if they share one, else null.
const Metric* find_shared_metric(const std::vector<ShownPair>& pairs, const Metric* metric) {
  if (metric != nullptr) return metric;
  std::vector<const Metric*> metrics;
  for (const ShownPair& pair : pairs) {
    if (pair.ratio.has_value()) add_once(metrics, pair.ratio.value().over->metric);
  }
  return metrics.size() == 1 ? metrics.front() : nullptr;
}

/// Returns "1.36 (1.22 to 1.66) ▲": ratio, interval and verdict.
Cell matrix_cell(const Pair& pair, const Metric* metric) {
  if (!pair.is_common()) return {"", {}, "", Tone::kMuted};
  if (!pair.other->is_ok) return {pair.other->status, {}, pair.other->status_reason, Tone::kBad};
  const Measured<RowRatio> found = find_ratio(metric, pair);
  if (!found.has_value()) return no_figure(found.reason());
  const Estimate& ratio = found.value().ratio;
  const std::string range = interval_text(ratio);
  const Outcome outcome = decide_outcome(ratio, pair.owner->margin());
  constexpr std::array kMarks = {"▲", "▼", "=", "~", "?"};
  return {fmt::format("{}{} {}", figure_text(ratio.value), range.empty() ? "" : " (" + range + ")",
                      kMarks[static_cast<std::size_t>(outcome)]),
          ratio.value, "", find_tone(outcome)};
}

/// Ratios of a pair for one model or operation, or for all.
struct ModelRow {
  const CandidatePair* versus;
  std::string subject;  ///< Model or operation; empty for all.
  Summary ratios;
  Estimate speed;  ///< Mean of the ratios.
  Measured<Estimate> energy;
};

/// Returns a row per model and one for all models; with many candidates only the latter.
std::vector<ModelRow> list_models(const Comparison& comparison) {
  const bool is_brief = comparison.versus_baseline.size() > kMostDetailed;
  const Metric& energy = find_metric("mean_epoch_joules", "");
  std::vector<ModelRow> rows;
  for (const CandidatePair& versus : comparison.versus_baseline) {
    const std::vector<RowRatio> all = row_ratios(versus);
    auto models = grouped(all, &RowRatio::subject);
    if (models.size() > 1) {
      if (is_brief) models.clear();
      models.push_back({"", all});
    }
    const std::vector<RowRatio> energies = row_ratios(versus, &energy);
    for (const auto& [subject, ratios] : models) {
      rows.push_back({&versus, subject, summarize(ratio_values(ratios)), compute_mean(ratios), missing("")});
      std::vector<RowRatio> own = energies;
      std::erase_if(own, [&row = rows.back()](const RowRatio& one) {
        return !row.subject.empty() && one.subject() != row.subject;
      });
      if (!own.empty()) rows.back().energy = compute_mean(own);
    }
  }
  return rows;
}

}  // namespace

std::vector<const Metric*> shown_metrics(const Comparison& comparison) {
  return comparison.metrics.empty() ? std::vector<const Metric*>{nullptr} : comparison.metrics;
}

std::vector<const Metric*> compared_metrics(const Comparison& comparison) {
  std::vector<const Metric*> metrics{nullptr};
  for (const Metric* metric : all_metrics()) {
    const auto has_metric = [&](const CandidatePair& versus) {
      return std::ranges::any_of(versus.pairs,
                                 [&](const Pair& pair) { return is_comparable(*metric, pair); });
    };
    if (metric->use->main_rank == 0 && std::ranges::any_of(comparison.versus_baseline, has_metric))
      metrics.push_back(metric);
  }
  return metrics;
}

Table case_table(const CandidatePair& versus, const Metric* metric, bool is_detailed) {
  constexpr std::size_t kMostAnswerRows = 20;
  if (!has_common_row(versus)) return {};
  std::vector<ShownPair> pairs = mapped(versus.pairs, [&](const Pair& pair) {
    return ShownPair{pair, find_ratio(metric, pair)};
  });
  const bool is_of_ops = has_operations(*versus.base);
  if (is_of_ops || (metric != nullptr && is_detailed))
    std::erase_if(pairs, [](const ShownPair& pair) { return !pair.ratio.has_value(); });
  const RowNames names(
      mapped(versus.pairs, [](const Pair& pair) { return pair.any().identity.without({"device"}); }));
  const std::size_t count = pairs.size();
  if (!is_detailed) pairs.resize(std::min(count, kMostAnswerRows));
  Columns<ShownPair> table(pairs);
  table.text(is_of_ops ? "row" : "case", [&](const ShownPair& pair) { return format_case(pair, names); });
  const Metric* const shared = find_shared_metric(pairs, metric);
  // Rates have their unit in the heading, which keeps the table narrow.
  const std::string unit = shared != nullptr && shared->unit.ends_with("/s") ? shared->unit : "";
  const auto add_side = [&](const Candidate& candidate, const ComparedRow* Pair::*row) {
    table.number(candidate.name, unit, [&](const ShownPair& pair) {
      return row_cell(pair.*row, pair.ratio.has_value() ? pair.ratio.value().over->metric : metric, unit);
    });
  };
  add_side(*versus.base, &Pair::base);
  add_side(*versus.other, &Pair::other);
  table.number("ratio", "", [&](const ShownPair& pair) { return make_ratio_cell(pair, is_detailed); });
  table.add_known({"95 % interval"},
                  [](const ShownPair& pair) { return interval_text(pair.ratio.then(&RowRatio::ratio)); });
  table.text(versus.other->name + " is", [&](const ShownPair& pair) {
    if (!pair.ratio.has_value()) return no_figure("");
    const RowRatio& row = pair.ratio.value();
    return outcome_cell(row.ratio, versus.margin(), row.over->metric->use->metric_class);
  });
  Notes notes = {fmt::format("Median {}; ratio above 1: {} is better",
                             shared == nullptr ? "of the main metric" : shared->noun(), versus.other->name)};
  if (std::string noise = describe_noise(versus); !noise.empty()) notes.push_back(std::move(noise));
  if (pairs.size() < count) notes.push_back(fmt::format("{} more in the details", count - pairs.size()));
  const std::string title = metric == nullptr ? pair_name(versus) : pair_name(versus) + ": " + metric->noun();
  return table.take(is_detailed || metric != nullptr ? title : "", std::move(notes));
}

Table ranking_table(const Ranking& ranking, const Comparison& comparison) {
  using Row = RankedCandidate;
  const RowNames names(make_identities(comparison.candidates));
  Columns<Row> table(ranking.candidates);
  table.number("rank", "", [](const Row& row) {
    if (!row.rank) return Cell{"?", {}, "", Tone::kMuted};
    const auto [best, worst] = *row.rank;
    return Cell{best == worst ? std::to_string(best) : fmt::format("{}-{}", best, worst),
                static_cast<double>(best)};
  });
  table.text("machine", [](const Row& row) { return row.candidate->name; });
  // Values of several works cannot be averaged.
  const bool is_single = ranking.works.size() == 1;
  if (is_single) {
    table.number(ranking.metric->label, "", [&](const Row& row) {
      return metric_cell(row.rows.front()->estimate(*ranking.metric).value().value, *ranking.metric);
    });
  }
  table.number("relative to " + ranking.reference->name, "",
               [](const Row& row) { return row.relative.value; });
  table.text("95 % interval", [&](const Row& row) {
    return row.candidate == ranking.reference ? std::string() : interval_text(row.relative);
  });
  table.text("is", [&](const Row& row) {
    if (row.candidate == ranking.reference) return Cell{"reference", {}, "", Tone::kMuted};
    return outcome_cell(row.relative, compute_margin(*row.candidate, *ranking.reference),
                        ranking.metric->use->metric_class);
  });
  table.add_known({"J/epoch", "", true}, [&](const Row& row) {
    const Measured<Estimate> joules = row.rows.front()->estimate("mean_epoch_joules");
    return is_single && joules.has_value() ? number_cell(joules.value().value) : no_figure("");
  });
  table.add_known({"cost/1M", "", true}, [](const Row& row) {
    const std::optional<double> cost = cost_per_million(row);
    return cost ? number_cell(*cost) : no_figure("");
  });
  if (is_single) return table.take(names.of(to_work(ranking.works.front().any().identity)));
  return table.take("Geometric mean of " + counted(ranking.works.size(), row_noun(comparison)));
}

Table matrix_table(const Comparison& comparison, const Metric* metric) {
  const PairTable pairs(comparison);
  const std::vector<WorkRows> works = align_rows(comparison, pairs);
  const RowNames names(make_identities(comparison.candidates));
  Columns<WorkRows> table(works);
  table.text(row_noun(comparison), [&](const WorkRows& work) { return names.of(work.any().identity); });
  for (std::size_t i = 0; i < comparison.candidates.size(); ++i) {
    table.text(comparison.candidates[i].name, [&](const WorkRows& work) {
      return i == work.first() ? row_cell(work.rows[i], metric)
                               : matrix_cell(pairs.find(work, work.first(), i), metric);
    });
  }
  return table.take(metric == nullptr ? "" : metric->noun(),
                    {"Ratio to the first machine of the row, with 95 % interval; above 1 is better",
                     "▲ better, ▼ worse, = equal within the margin, ~ inconclusive, ? no interval"});
}

std::vector<Paragraph> ranking_notes(const std::vector<Ranking>& rankings, const Comparison& comparison) {
  std::vector<Paragraph> notes;
  std::set<const Candidate*> ranked;
  bool has_range = false;
  for (const Ranking& ranking : rankings) {
    for (const RankedCandidate& one : ranking.candidates) {
      ranked.insert(one.candidate);
      has_range = has_range || (one.rank && one.rank->best != one.rank->worst);
    }
  }
  if (has_range)
    notes.push_back({"Rank 1-3: between first and third, at 95 % for the whole table; ?: no interval."});
  std::vector<std::string> unranked;
  std::string command;
  for (const Candidate& one : comparison.candidates) {
    if (ranked.contains(&one)) continue;
    unranked.push_back(one.name);
    const auto row = std::ranges::find(one.rows, true, &ComparedRow::is_ok);
    if (command.empty() && row != one.rows.end()) command = row->command;
  }
  if (!unranked.empty())
    notes.push_back(caution("Not ranked (no comparable {} with another machine): {}.{}", row_noun(comparison),
                            join(unranked),
                            command.empty() ? "" : " To measure one here: '" + command + "'."));
  return notes;
}

Table model_table(const Comparison& comparison) {
  using Row = ModelRow;
  const std::vector<Row> rows = list_models(comparison);
  Columns<Row> table(rows);
  table.text("pair", [](const Row& row) { return pair_name(*row.versus); });
  table.text(are_operations(comparison) ? "operation" : "model",
             [](const Row& row) { return row.subject.empty() ? "all" : row.subject; });
  table.number(row_noun(comparison) + "s", "", [](const Row& row) { return row.ratios.count; });
  table.number("min", "", [](const Row& row) { return row.ratios.min; });
  table.number("max", "", [](const Row& row) { return row.ratios.max; });
  table.number("speed", "", [](const Row& row) { return ratio_cell(row.speed); });
  table.text("95 % interval", [](const Row& row) { return interval_text(row.speed); });
  table.add_known({"energy", "", true}, [](const Row& row) { return ratio_cell(row.energy); });
  table.text("verdict", [](const Row& row) {
    return outcome_cell(row.speed, row.versus->margin(), MetricClass::kTime);
  });
  return table.take("", {"Geometric means of ratios to the baseline; above 1 is better"});
}

Table difference_table(const CandidatePair& versus) {
  if (!has_common_row(versus)) return {};
  const std::vector<DifferenceCount> rows = difference_counts(versus);
  Columns<DifferenceCount> table(rows);
  table.text("difference", [](const DifferenceCount& row) { return row.difference.what; });
  table.text(versus.base->name, [](const DifferenceCount& row) { return row.difference.left; });
  table.text(versus.other->name, [](const DifferenceCount& row) { return row.difference.right; });
  table.text("in",
             [](const DifferenceCount& row) { return row.rows == 0 ? "all" : counted(row.rows, "case"); });
  for (std::size_t i = 0; i < Effects().size(); ++i) {
    const auto metric_class = static_cast<MetricClass>(i);
    table.text(to_string(metric_class), [=](const DifferenceCount& row) {
      constexpr std::array kTones = {Tone::kMuted, Tone::kWarning, Tone::kBad};
      const Comparability effect = row.difference.on(metric_class);
      const std::string word = effect == Comparability::kComparable ? "-" : to_string(effect);
      return Cell{word, {}, "", kTones.at(static_cast<std::size_t>(effect))};
    });
  }
  return table.take(pair_name(versus));
}

Table failure_table(const Comparison& comparison) {
  const RowNames names(make_identities(comparison.candidates));
  using Row = CandidateRow;
  std::vector<Row> rows = list_rows(comparison.candidates);
  std::erase_if(rows, [](const Row& row) { return row.row->is_ok; });
  Columns<Row> table(rows);
  table.text("machine", [](const Row& row) { return row.candidate->name; });
  table.text(row_noun(comparison), [&](const Row& row) { return names.of(row.row->identity); });
  table.text("status", [](const Row& row) { return Cell{row.row->status, {}, "", Tone::kBad}; });
  table.text("reason", [](const Row& row) { return row.row->status_reason; });
  return table.take();
}

Table machine_table(const Comparison& comparison) {
  using C = Candidate;
  const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
  Columns<C> table(comparison.candidates);
  table.text("machine", &C::name);
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
