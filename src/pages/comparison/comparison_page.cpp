#include "pages/comparison/comparison_page.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "pages/comparison/sections.h"
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

}  // namespace

bool are_operations(const Comparison& comparison) {
  return std::ranges::any_of(comparison.candidates, [](const Candidate& one) {
    return !one.rows.empty() && !one.rows.front().identity.at("op").empty();
  });
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
  if (std::ranges::none_of(comparison.versus_baseline, has_common_row)) {
    throw Error(
        ErrorKind::kUsage,
        "compare: these tables of operations have no row in common; measure the same operations, sizes, "
        "types, directions and caches");
  }
  Page page = comparison_page(comparison, Detail::kCharts);
  page.data = comparison_data(comparison);
  std::vector<Surroundings> all;
  for (const NamedOps& table : tables) {
    if (!table.ops.published) all.push_back({table.name, &table.ops.tool, &table.ops.environment});
  }
  if (!all.empty()) page.sections.push_back(environments_section(all));
  return page;
}

}  // namespace gpubench
