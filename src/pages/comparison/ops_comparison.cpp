// One table of operations against another.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compare/verdict.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/text/figures.h"
#include "pages/comparison/comparison_page.h"
#include "pages/comparison/sections.h"
#include "pages/environment.h"
#include "pages/record_table.h"

namespace gpubench {
namespace {

/// Peaks of one model that are further apart were measured on machines in unlike states.
constexpr double kUnlikePeaks = 0.1;

/// "B (desk.json, cuda:0 (NVIDIA H200))".
std::string described(const Candidate& side) {
  // A published table is called after its device.
  const bool is_told = side.file.ends_with("/" + side.device.name);
  const std::string model = side.device.model.empty() ? "" : " (" + side.device.model + ")";
  const std::string device = is_told ? "" : ", " + side.device.name + model;
  return one_line(fmt::format("{} ({}{})", side.label, side.file, device));
}

/// "faster in 12, slower in 3, equal within 5 % in 20": how many rows have which outcome.
std::string outcome_counts(const std::vector<RowRatio>& rows) {
  const auto make_name = [](const RowRatio& row) {
    return outcome_cell(row.ratio, compute_margin(std::span(&row, 1))).text;
  };
  std::vector<std::string> parts;
  for (const auto& [name, those] : grouped(rows, make_name))
    parts.push_back(fmt::format("{} in {}", name, those.size()));
  return join(parts, ", ");
}

/// "B (...) is 3.21 times as fast as A (...) over 61 rows ..."
Paragraph make_answer(const BaselineComparison& versus) {
  const std::string who = described(*versus.other);
  const std::string baseline = described(*versus.base);
  const std::vector<RowRatio> rows = row_ratios(versus);
  if (rows.empty()) return caution("{} has no row in common with {}.", who, baseline);
  const Estimate mean = compute_mean(rows);
  const double margin = compute_margin(rows);
  const std::string times = figure_text(mean.value);
  const std::string range = interval_text(mean);
  const std::string over = counted(rows.size(), "row");
  const std::string counts = outcome_counts(rows);
  switch (decide_outcome(mean, margin)) {
    case Outcome::kBetter:
    case Outcome::kWorse:
      return {fmt::format("{} is {} times as fast as {} over {} (geometric mean; {}): {}.", who, times,
                          baseline, over, range, counts)};
    case Outcome::kEqual:
      return {fmt::format("{} and {} are equally fast within {} over {} (geometric mean {}; {}): {}.", who,
                          baseline, margin_text(margin), over, times, range, counts)};
    case Outcome::kUndecided:
      return {fmt::format(
          "Undecided which is faster: {} is {} times as fast as {} over {} (geometric mean {}): {}.", who,
          range, baseline, over, times, counts)};
    case Outcome::kUnknown:
      break;
  }
  return caution("{} was measured {} times as fast as {} over {} (geometric mean; {}).{}", who, times,
                 baseline, over, mean.interval.reason(), remedy_for(versus));
}

void mind_side(std::vector<Paragraph>& cautions, const Candidate& side) {
  if (!side.publication.empty()) {
    cautions.push_back(caution("{} was not measured by gpubench, but published: {}. {} {}", side.label,
                               side.publication, side.publication_protocol, side.publication_note));
  } else if (side.call_protocol == "s4") {
    cautions.push_back(
        caution("{} has single calls after one other (protocol s4): without intervals.", side.label));
  }
  const bool is_cold = std::ranges::any_of(
      side.rows, [](const RowFigures& row) { return row.identity.at("cache") == to_string(OpCache::kCold); });
  if (!is_cold) return;
  cautions.push_back(caution(
      "{} has rows with caches full of other data (cold): they compare with such rows alone.", side.label));
}

void add_peak(std::vector<Paragraph>& cautions, const std::string& what, const std::string& unit,
              const Measured<double>& left, const Measured<double>& right) {
  if (!left.has_value() || !right.has_value() || left.value() <= 0 || right.value() <= 0) return;
  if (std::abs(std::log(right.value() / left.value())) < kUnlikePeaks) return;
  cautions.push_back(
      caution("{} of the same model of device: {} against {}; one of the machines was busy or held back.",
              what, prefixed_text(left.value(), unit), prefixed_text(right.value(), unit)));
}

/// What else differs between the sides, or is to be minded about one.
std::vector<Paragraph> make_cautions(const BaselineComparison& versus) {
  const Candidate& base = *versus.base;
  const Candidate& other = *versus.other;
  std::vector<Paragraph> cautions;
  mind_side(cautions, base);
  mind_side(cautions, other);
  if (!base.publication.empty() || !other.publication.empty()) return cautions;
  // Unlike models are told where the sides are named.
  if (base.device.model == other.device.model) {
    add_peak(cautions, "Peak in fp32", "FLOP/s", peak_flops(base.device, "fp32"),
             peak_flops(other.device, "fp32"));
    add_peak(cautions, "Bandwidth", "B/s", base.device.triad_bytes_per_second,
             other.device.triad_bytes_per_second);
  }
  for (Paragraph& alike : describe_comparability(versus)) {
    if (alike.tone != Tone::kPlain) cautions.push_back(std::move(alike));
  }
  return cautions;
}

std::string why_unpaired(const Pair& pair) {
  if (pair.base == nullptr) return pair.versus->base->label + " does not have it";
  if (pair.other == nullptr) return pair.versus->other->label + " does not have it";
  return one_line(speed_ratio(pair).reason());
}

/// Rows without a ratio, counted by the reason: "B does not have it (12)".
std::vector<Paragraph> unpaired_rows(const BaselineComparison& versus) {
  std::vector<Pair> pairs = versus.pairs;
  std::erase_if(pairs, [](const Pair& pair) { return speed_ratio(pair).has_value(); });
  if (pairs.empty() || !has_common_row(versus)) return {};
  std::vector<std::string> reasons;
  for (const auto& [why, those] : grouped(pairs, why_unpaired))
    reasons.push_back(fmt::format("{} ({})", why, those.size()));
  return {caution("{}: {} without a ratio: {}.", pair_name(versus), counted(pairs.size(), "row"),
                  counted(std::move(reasons)))};
}

std::vector<Paragraph> make_summary(const Comparison& comparison) {
  std::vector<Paragraph> summary = mapped(comparison.versus_baseline, make_answer);
  for (const BaselineComparison& versus : comparison.versus_baseline) append(summary, unpaired_rows(versus));
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    for (Paragraph& caution : make_cautions(versus)) {
      const bool is_said = std::ranges::find(summary, caution.text, &Paragraph::text) != summary.end();
      if (!is_said) summary.push_back(std::move(caution));
    }
  }
  return summary;
}

using Pairs = Columns<Pair>;
using Notes = std::vector<std::string>;

/// What the rows of operations are.
void add_work(Pairs& table) {
  for (const char* key : {"op", "sizes", "type", "direction", "cache"}) {
    table.add({key == std::string_view("op") ? "operation" : key},
              [&](const Pair& pair) { return one_line(pair.any().identity.at(key)); });
  }
}

/// That it has no interval is said once below the table.
Cell quiet_ratio_cell(const Measured<Estimate>& ratio, Notes& notes) {
  Cell cell = ratio_cell(ratio);
  if (!cell.note.empty()) add_once(notes, cell.note);
  cell.note.clear();
  return cell;
}

Cell speed_up_cell(double ratio) { return {speed_up_text(ratio), 100 * (ratio - 1)}; }

std::string make_name(const SubjectRatios& ratios) {
  return ratios.subject.empty() ? "all" : one_line(ratios.subject);
}

/// By operation, and of all.
Table op_average_table(const std::vector<SubjectRatios>& subjects) {
  using Row = SubjectRatios;
  Notes notes = {
      "times as fast: geometric mean of the rows' ratios, so that each row counts alike",
      "speed-up: (ratio - 1) x 100",
      "as published: the speed-up of the arithmetic means of the times, in which long rows count most"};
  Columns<Row> table(subjects);
  table.add({"operation"}, make_name);
  table.add({"rows", "", true}, [](const Row& row) { return count_cell(row.rows.size()); });
  table.add({"times as fast", "x", true},
            [&](const Row& row) { return quiet_ratio_cell(compute_mean(row.rows), notes); });
  table.add({"interval"}, [](const Row& row) { return interval_text(compute_mean(row.rows)); });
  table.add({"verdict"},
            [](const Row& row) { return outcome_cell(compute_mean(row.rows), compute_margin(row.rows)); });
  table.add({"speed-up", "", true},
            [](const Row& row) { return speed_up_cell(compute_mean(row.rows).value); });
  table.add({"as published", "", true},
            [](const Row& row) { return speed_up_cell(ratio_of_means(row.rows)); });
  // Of published times none has an interval.
  return folded(table.take("", std::move(notes)));
}

/// Without series where one operation is all.
Chart op_average_chart(const std::vector<SubjectRatios>& subjects) {
  Chart chart{"Times as fast", ChartKind::kBars, {"operation"}, {"times as fast", "x", true}, {}, 1.0};
  if (subjects.size() < 2) return chart;
  for (const SubjectRatios& subject : subjects)
    add_bar(chart, "geometric mean", make_name(subject), compute_mean(subject.rows));
  return chart;
}

/// Pairs that have a ratio.
Table op_pair_table(const BaselineComparison& versus) {
  std::vector<Pair> pairs = versus.pairs;
  std::erase_if(pairs, [](const Pair& pair) { return !speed_ratio(pair).has_value(); });
  Pairs table(pairs);
  Notes notes;
  add_work(table);
  table.add({versus.base->label, "", true},
            [](const Pair& pair) { return duration_cell(pair.base->seconds.value().value); });
  table.add({versus.other->label, "", true},
            [](const Pair& pair) { return duration_cell(pair.other->seconds.value().value); });
  table.add({"times as fast", "x", true},
            [&](const Pair& pair) { return quiet_ratio_cell(speed_ratio(pair), notes); });
  table.add({"interval"}, [](const Pair& pair) { return interval_text(speed_ratio(pair)); });
  table.add({"verdict"},
            [](const Pair& pair) { return outcome_cell(speed_ratio(pair), compute_margin(pair)); });
  table.add({"speed-up", "", true},
            [](const Pair& pair) { return speed_up_cell(speed_ratio(pair).value().value); });
  return folded(table.take("", std::move(notes)));
}

void add_sections(std::vector<Section>& sections, const BaselineComparison& versus) {
  const std::string title = pair_name(versus);
  const std::vector<SubjectRatios> subjects = ratios_by_subject(versus);
  add_section(sections, title + ", by operation", op_average_table(subjects), op_average_chart(subjects));
  add_section(sections, title + ", row by row", op_pair_table(versus));
}

}  // namespace

std::string speed_up_text(double ratio) {
  const double percent = 100 * (ratio - 1);
  return percent > -9.95 && percent < 9.95 ? fmt::format("{:+.1f} %", percent)
                                           : fmt::format("{:+.0f} %", percent);
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
  if (std::ranges::none_of(comparison.versus_baseline, has_common_row)) {
    throw Error(
        ErrorKind::kUsage,
        "compare: these tables of operations have no row in common; measure the same operations, sizes, "
        "types, directions and caches");
  }
  Page page{"Operations compared", make_summary(comparison), {}, ops_comparison_data(comparison)};
  for (const BaselineComparison& versus : comparison.versus_baseline) add_sections(page.sections, versus);
  // A publication has no environment.
  std::vector<Surroundings> all;
  for (const NamedOps& table : tables) {
    if (!table.ops.published) all.push_back({table.name, &table.ops.tool, &table.ops.environment});
  }
  if (!all.empty()) page.sections.push_back(environments_section(all));
  return page;
}

}  // namespace gpubench
