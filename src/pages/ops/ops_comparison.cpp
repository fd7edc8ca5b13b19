#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/text/figures.h"
#include "pages/environment.h"
#include "pages/ops/op_tables.h"
#include "pages/ops/ops_page.h"
#include "pages/table_notes.h"
#include "pages/words.h"

namespace gpubench {
namespace {

/// Peaks of one model that are further apart were measured on machines in unlike states.
constexpr double kUnlikePeaks = 0.1;

/// "B (desk.json, cuda:0 (NVIDIA H200))".
std::string described(const Contender& side) {
  // A published table is called after its device.
  const bool is_told = side.file.ends_with("/" + side.device.name);
  const std::string model = side.device.model.empty() ? "" : " (" + side.device.model + ")";
  const std::string device = is_told ? "" : ", " + side.device.name + model;
  return one_line(fmt::format("{} ({}{})", side.label, side.file, device));
}

bool is_clear(const Reading<Estimate>& ratio, bool is_faster) {
  return ratio.has_value() && is_distinct_from_one(ratio.value()) && (ratio.value().value > 1) == is_faster;
}

/// "B (...) is 3.21 times as fast as A (...) over 61 rows ..."
Paragraph answer_of(const Comparison& comparison, const Duel& duel) {
  const std::string who = described(comparison.other_of(duel));
  const std::string baseline = described(comparison.base_of(duel));
  const std::vector<SpeedAverage> averages = averages_of(comparison, duel);
  if (averages.empty()) return {who + " has no row in common with " + baseline + ".", Tone::kWarning};
  const SpeedAverage& all = averages.back();
  const std::string interval = interval_text(all.ratio.interval);
  const auto count = [&](bool is_faster) {
    return std::count_if(duel.pairs.begin(), duel.pairs.end(), [&](const Pair& pair) {
      return is_clear(speed_ratio(comparison, duel, pair), is_faster);
    });
  };
  return {fmt::format("{} is {} times as fast as {} over {} (geometric mean{}): faster in {}, slower in {}.",
                      who, figure_text(all.ratio.value), baseline, counted(all.pairs, "row"),
                      interval.empty() ? "" : "; " + interval, count(true), count(false))};
}

void mind_side(std::vector<Paragraph>& cautions, const Contender& side) {
  if (!side.publication.empty()) {
    cautions.push_back({fmt::format("{} was not measured by gpubench, but published: {}. {} {}", side.label,
                                    side.publication, side.publication_protocol, side.publication_note),
                        Tone::kWarning});
  } else if (side.call_protocol == "s4") {
    cautions.push_back(
        {side.label + " has single calls after one other (protocol s4): without intervals.", Tone::kWarning});
  }
  const bool is_cold = std::any_of(side.rows.begin(), side.rows.end(), [](const RowFigures& row) {
    return row.identity.at("cache") == to_string(OpCache::kCold);
  });
  if (is_cold) {
    cautions.push_back(
        {side.label + " has rows with caches full of other data (cold): they compare with such rows alone.",
         Tone::kWarning});
  }
}

Reading<double> fp32_peak(const DeviceRecord& device) {
  if (!device.peak_flops_per_second.has_value()) return absent(device.peak_flops_per_second.reason());
  for (const auto& [name, peak] : device.peak_flops_per_second.value()) {
    if (name == "fp32") return peak;
  }
  return absent("has no fp32");
}

void add_peak(std::vector<Paragraph>& cautions, const std::string& what, const std::string& unit,
              const Reading<double>& left, const Reading<double>& right) {
  if (!left.has_value() || !right.has_value() || left.value() <= 0 || right.value() <= 0) return;
  if (std::abs(std::log(right.value() / left.value())) < kUnlikePeaks) return;
  cautions.push_back(
      {fmt::format("{} of the same model of device: {} against {}; one of the machines was busy "
                   "or held back.",
                   what, prefixed_text(left.value(), unit), prefixed_text(right.value(), unit)),
       Tone::kWarning});
}

/// What else differs between the sides, or is to be minded about one.
std::vector<Paragraph> cautions_of(const Comparison& comparison, const Duel& duel) {
  const Contender& base = comparison.base_of(duel);
  const Contender& other = comparison.other_of(duel);
  std::vector<Paragraph> cautions;
  mind_side(cautions, base);
  mind_side(cautions, other);
  if (!base.publication.empty() || !other.publication.empty()) return cautions;
  // Unlike models are told where the sides are named.
  if (base.device.model == other.device.model) {
    add_peak(cautions, "Peak in fp32", "FLOP/s", fp32_peak(base.device), fp32_peak(other.device));
    add_peak(cautions, "Bandwidth", "B/s", base.device.triad_bytes_per_second,
             other.device.triad_bytes_per_second);
  }
  Paragraph alike = comparability_of(comparison, duel);
  if (alike.tone != Tone::kPlain) cautions.push_back(std::move(alike));
  return cautions;
}

std::vector<Paragraph> summary_of(const Comparison& comparison) {
  std::vector<Paragraph> summary;
  for (const Duel& duel : comparison.duels) summary.push_back(answer_of(comparison, duel));
  for (const Duel& duel : comparison.duels) {
    for (Paragraph& caution : cautions_of(comparison, duel)) {
      const bool is_said = std::any_of(summary.begin(), summary.end(),
                                       [&](const Paragraph& said) { return said.text == caution.text; });
      if (!is_said) summary.push_back(std::move(caution));
    }
  }
  return summary;
}

std::vector<Section> sections_of(const Comparison& comparison, const Duel& duel) {
  std::vector<Section> sections;
  const std::string title = pair_name(comparison, duel);
  const std::vector<SpeedAverage> averages = averages_of(comparison, duel);
  if (!averages.empty()) {
    sections.push_back({title + ", by operation", {op_average_table(averages)}});
    if (averages.size() > 1) sections.back().blocks.emplace_back(op_average_chart(averages));
    sections.push_back({title + ", row by row", {op_pair_table(comparison, duel)}});
  }
  if (Table table = op_unpaired_table(comparison, duel); !table.rows.empty())
    sections.push_back({title + ", not compared", {std::move(table)}});
  return sections;
}

bool has_common_row(const Duel& duel) {
  return std::any_of(duel.pairs.begin(), duel.pairs.end(),
                     [](const Pair& pair) { return pair.base != nullptr && pair.other != nullptr; });
}

}  // namespace

Comparison compared(std::span<const NamedOps> tables) {
  std::vector<Contender> contenders;
  for (const NamedOps& table : tables) {
    for (Contender& contender : contenders_of(table.ops, table.name))
      contenders.push_back(std::move(contender));
  }
  Comparison comparison = compare(std::move(contenders), false);
  if (!comparison.duels.empty()) return comparison;
  throw Error(ErrorKind::kUsage,
              "compare: only one device is in these tables of operations; name a second file, or "
              "published:m3-max/mps");
}

Page ops_comparison_page(std::span<const NamedOps> tables) {
  const Comparison comparison = compared(tables);
  if (std::none_of(comparison.duels.begin(), comparison.duels.end(), has_common_row)) {
    throw Error(
        ErrorKind::kUsage,
        "compare: these tables of operations have no row in common; measure the same operations, sizes, "
        "types, directions and caches");
  }
  Page page{"Operations compared", summary_of(comparison), {}, ops_comparison_data(comparison)};
  for (const Duel& duel : comparison.duels) {
    for (Section& section : sections_of(comparison, duel)) page.sections.push_back(std::move(section));
  }
  // A publication has no environment.
  std::vector<Surroundings> all;
  for (const NamedOps& table : tables) {
    if (!table.ops.published) all.push_back({table.name, &table.ops.tool, &table.ops.environment});
  }
  if (!all.empty()) page.sections.push_back(environments_section(all));
  return page;
}

}  // namespace gpubench
