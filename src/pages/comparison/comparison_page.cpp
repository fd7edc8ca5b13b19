#include "pages/comparison/comparison_page.h"

#include <map>

#include <fmt/format.h>

#include "gpubench/core/nearest.h"
#include "pages/columns.h"
#include "pages/comparison/sections.h"
#include "pages/energy_table.h"

namespace gpubench {
namespace {

std::string title_of(const Comparison& comparison) {
  if (comparison.contenders.empty()) return "Comparison";
  std::string title = description_of(comparison.contenders.front());
  const std::size_t others = comparison.contenders.size() - 1;
  if (others == 1) return title + " and " + description_of(comparison.contenders[1]);
  return others == 0 ? title : fmt::format("{} and {} others", title, others);
}

Table contender_table(const Comparison& comparison) {
  using C = Contender;
  const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
  Columns<C> table(comparison.contenders);
  table.add({""}, [](const C& one) { return one.label; });
  table.add({"host"}, [](const C& one) {
    return Cell{one.publication.empty() ? one.host : "published, other protocol", {}, one.publication_note};
  });
  table.add({"device"}, [](const C& one) { return one.device.name; });
  table.add({"model"}, [&](const C& one) { return or_dash(one.device.model); });
  table.add({"LibTorch"}, [&](const C& one) { return or_dash(one.libtorch_version); });
  table.add({"threads", "", true},
            [](const C& one) { return one.threads > 0 ? std::to_string(one.threads) : "-"; });
  table.add({"cases ok"}, [](const C& one) {
    const std::size_t good = count_of_good(one);
    return Cell{fmt::format("{} of {}", good, one.rows.size()), static_cast<double>(good)};
  });
  table.add({"file"}, [](const C& one) { return one.file; });
  return table.take("Who");
}

/// A section for a table that has rows.
void add_titled(Table table, Page& page) {
  if (table.rows.empty()) return;
  Section section{std::move(table.title), {}};
  table.title.clear();
  section.blocks.emplace_back(std::move(table));
  page.sections.push_back(std::move(section));
}

void add_cases(const Comparison& comparison, Page& page) {
  Section section{"Cases", {}};
  for (const Duel& duel : comparison.duels) section.blocks.emplace_back(case_table(duel));
  page.sections.push_back(std::move(section));
}

/// Energies of all cases, and why there are none of some.
void add_energy(const Comparison& comparison, Page& page) {
  Section section{"Energy", {}};
  for (Paragraph& paragraph : energy_absences(comparison.contenders))
    section.blocks.emplace_back(std::move(paragraph));
  Table table = energy_table(comparison.contenders, comparison.price_kwh);
  if (!table.rows.empty()) section.blocks.emplace_back(std::move(table));
  if (!section.blocks.empty()) page.sections.push_back(std::move(section));
}

/// Each publication once, with those that are from it.
void add_publications(const Comparison& comparison, Page& page) {
  std::map<std::string, std::vector<std::string>> labels;
  for (const Contender& contender : comparison.contenders) {
    if (!contender.publication.empty()) labels[contender.publication_note].push_back(contender.label);
  }
  for (const auto& [note, those] : labels) {
    page.summary.push_back(
        {fmt::format("{}: published, other protocol. {}", join(those), note), Tone::kWarning});
  }
}

}  // namespace

Page comparison_page(const Comparison& comparison, Detail detail) {
  Page page;
  page.title = title_of(comparison);
  page.summary = comparison_summary(comparison);
  add_publications(comparison, page);
  if (comparison.duels.empty()) return page;
  const bool is_detailed = comparison.duels.size() <= kMostDetailed;
  add_titled(model_table(comparison), page);
  add_titled(energy_model_table(comparison), page);
  if (is_detailed) {
    add_cases(comparison, page);
    add_energy(comparison, page);
    add_titled(verdict_table(comparison), page);
    add_titled(failure_table(comparison), page);
    add_titled(gpu_benefit_table(comparison), page);
    add_titled(precision_gain_table(comparison), page);
    add_titled(peak_table(comparison), page);
  }
  add_titled(contender_table(comparison), page);
  if (detail == Detail::kCharts && is_detailed) {
    page.sections.insert(page.sections.begin(), {"Charts", comparison_charts(comparison)});
  }
  return page;
}

}  // namespace gpubench
