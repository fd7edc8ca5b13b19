#include "pages/comparison/comparison_page.h"

#include <map>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "pages/comparison/sections.h"
#include "pages/energy_table.h"
#include "pages/record_table.h"

namespace gpubench {
namespace {

std::string make_title(const Comparison& comparison) {
  if (comparison.candidates.empty()) return "Comparison";
  std::string title = format_description(comparison.candidates.front());
  const std::size_t others = comparison.candidates.size() - 1;
  if (others == 1) return title + " and " + format_description(comparison.candidates[1]);
  return others == 0 ? title : fmt::format("{} and {} others", title, others);
}

Table contender_table(const Comparison& comparison) {
  using C = Candidate;
  const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
  Columns<C> table(comparison.candidates);
  table.add({""}, [](const C& one) { return one.label; });
  table.add({"host"}, [](const C& one) {
    return Cell{one.publication.empty() ? one.host : "published, other protocol", {}, one.publication_note};
  });
  table.add({"device"}, [](const C& one) { return one.device.name; });
  table.add({"model"}, [&](const C& one) { return or_dash(one.device.model); });
  table.add_told({"side"}, [](const C& one) { return one.side.empty() ? "" : one.distinction; });
  table.add({"LibTorch"}, [&](const C& one) { return or_dash(one.libtorch_version); });
  table.add({"threads", "", true},
            [](const C& one) { return one.threads > 0 ? std::to_string(one.threads) : "-"; });
  table.add({"cases ok"}, [](const C& one) {
    const std::size_t good = count_of_good(one);
    return Cell{fmt::format("{} of {}", good, one.rows.size()), static_cast<double>(good)};
  });
  table.add({"file"}, [](const C& one) { return one.file; });
  return table.take();
}

/// Each publication once, with those that are from it.
void add_publications(const Comparison& comparison, Page& page) {
  std::map<std::string, std::vector<std::string>> labels;
  for (const Candidate& candidate : comparison.candidates) {
    if (!candidate.publication.empty()) labels[candidate.publication_note].push_back(candidate.label);
  }
  for (const auto& [note, those] : labels) {
    page.summary.push_back(caution("{}: published, other protocol. {}", join(those), note));
  }
}

}  // namespace

Page comparison_page(const Comparison& comparison, Detail detail) {
  Page page{make_title(comparison), comparison_summary(comparison), {}, {}};
  add_publications(comparison, page);
  if (comparison.versus_baseline.empty()) return page;
  const bool is_detailed = comparison.versus_baseline.size() <= kMostDetailed;
  const auto add = [&](const char* title, auto... parts) {
    add_section(page.sections, title, std::move(parts)...);
  };
  if (is_detailed && detail == Detail::kCharts) add("Charts", comparison_charts(comparison));
  add("How many times as fast", model_table(comparison));
  add("How much less energy", energy_model_table(comparison));
  if (is_detailed) {
    add("Cases", mapped(comparison.versus_baseline, case_table));
    add("Energy", energy_absences(comparison.candidates),
        energy_table(comparison.candidates, comparison.price_kwh));
    add("What several ranks gain", scaling_table(comparison),
        detail == Detail::kCharts ? scaling_chart(comparison) : Chart{});
    add("Comparable?", verdict_table(comparison));
    add("What did not run", failure_table(comparison));
    add("GPU benefit", gpu_benefit_table(comparison));
    add("Precision gain", precision_gain_table(comparison));
    add("Measured peaks beside measured times", peak_table(comparison));
  }
  add("Who", contender_table(comparison));
  return page;
}

}  // namespace gpubench
