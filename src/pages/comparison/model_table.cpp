// Ratios summed up: by model, and for each machine as a whole.

#include <algorithm>

#include <fmt/format.h>

#include "pages/comparison/comparison_page.h"
#include "pages/comparison/sections.h"
#include "pages/words.h"

namespace gpubench {
namespace {

std::vector<Cell> ratio_row(const std::string& pair, const std::string& model,
                            const std::vector<Estimate>& ratios) {
  const Average average = average_of(ratios);
  return {{pair},
          {model},
          {std::to_string(average.count), static_cast<double>(average.count)},
          number_cell(average.arithmetic_mean),
          number_cell(average.least),
          number_cell(average.greatest),
          ratio_cell(average.geometric_mean),
          {interval_text(average.geometric_mean.interval)}};
}

/// A line of `energy_model_table`.
std::vector<Cell> energy_row(const std::string& pair, const std::string& model,
                             const std::vector<Estimate>& energies,
                             const std::vector<Estimate>& efficiencies) {
  std::vector<Cell> row = {
      {pair}, {model}, {std::to_string(energies.size()), static_cast<double>(energies.size())}};
  for (const auto* ratios : {&energies, &efficiencies}) {
    if (ratios->empty()) {
      row.insert(row.end(), {no_figure(""), {""}});
      continue;
    }
    const Estimate mean = geometric_mean_of(*ratios);
    row.push_back(ratio_cell(mean));
    row.push_back({interval_text(mean.interval)});
  }
  return row;
}

std::vector<Estimate> ratios_of(const std::vector<SubjectRatios>& models, const std::string& name) {
  for (const SubjectRatios& model : models) {
    if (model.subject == name) return model.ratios;
  }
  return {};
}

void add_energy_rows(const Comparison& comparison, const Duel& duel, bool is_brief, Table& table) {
  const auto energies = ratios_by_subject(comparison, duel, energy_ratio);
  if (energies.empty()) return;
  const auto efficiencies = ratios_by_subject(comparison, duel, efficiency_ratio);
  const std::string pair = pair_name(comparison, duel);
  if (!is_brief && energies.size() > 1) {
    for (const SubjectRatios& model : energies) {
      table.rows.push_back(
          energy_row(pair, model.subject, model.ratios, ratios_of(efficiencies, model.subject)));
    }
  }
  table.rows.push_back(energy_row(pair, energies.size() == 1 ? energies.front().subject : "all",
                                  all_ratios(comparison, duel, energy_ratio),
                                  all_ratios(comparison, duel, efficiency_ratio)));
}

std::vector<Cell> empty_row(const std::string& pair) {
  const Cell none = no_figure("");
  return {{pair}, {"all"}, {"0", 0.0}, none, none, none, none, {""}};
}

bool is_published(const Contender& contender) { return !contender.publication.empty(); }

std::string cores_text(const Contender& contender) {
  return contender.threads > 0 ? std::to_string(contender.threads) : "-";
}

std::vector<Cell> contender_row(const Contender& contender) {
  const std::size_t good = count_of_good(contender);
  return {{contender.label},
          {is_published(contender) ? "published, other protocol" : contender.host,
           {},
           contender.publication_note},
          {contender.device.name},
          {contender.device.model.empty() ? "-" : contender.device.model},
          {contender.libtorch_version.empty() ? "-" : contender.libtorch_version},
          {cores_text(contender)},
          {fmt::format("{} of {}", good, contender.rows.size()), static_cast<double>(good)},
          {contender.file}};
}

}  // namespace

Table model_table(const Comparison& comparison) {
  Table table{"How many times as fast",
              {{"pair"},
               {"model"},
               {"cases", "", true},
               {"avg", "x", true},
               {"min", "x", true},
               {"max", "x", true},
               {"geometric mean", "x", true},
               {"95 % interval"}},
              {},
              {"A figure is t_base / t_other of the median epoch times of one case, for B against A t_A / "
               "t_B; above 1 the first of the "
               "pair is faster. avg is their arithmetic mean, the geometric mean is (r_1 ... r_n)^(1/n)."}};
  const bool is_brief = comparison.duels.size() > kMostDetailed;
  for (const Duel& duel : comparison.duels) {
    const std::string pair = pair_name(comparison, duel);
    const std::vector<SubjectRatios> models = ratios_by_subject(comparison, duel);
    if (!is_brief && models.size() > 1) {
      for (const SubjectRatios& model : models)
        table.rows.push_back(ratio_row(pair, model.subject, model.ratios));
    }
    std::vector<Estimate> all;
    for (const SubjectRatios& model : models) all.insert(all.end(), model.ratios.begin(), model.ratios.end());
    const std::string scope = models.size() == 1 ? models.front().subject : "all";
    table.rows.push_back(all.empty() ? empty_row(pair) : ratio_row(pair, scope, all));
  }
  return table;
}

Table energy_model_table(const Comparison& comparison) {
  Table table{"How much less energy",
              {{"pair"},
               {"model"},
               {"cases", "", true},
               {"energy", "x", true},
               {"95 % interval"},
               {"efficiency", "x", true},
               {"95 % interval"}},
              {},
              {"Geometric means over cases of energy, E_base / E_other, and of efficiency, "
               "(E_base t_base) / (E_other t_other); above 1 the first of the pair is the better one."}};
  const bool is_brief = comparison.duels.size() > kMostDetailed;
  for (const Duel& duel : comparison.duels) add_energy_rows(comparison, duel, is_brief, table);
  return table;
}

Table contender_table(const Comparison& comparison) {
  Table table{
      "Who",
      {{""}, {"host"}, {"device"}, {"model"}, {"LibTorch"}, {"threads", "", true}, {"cases ok"}, {"file"}},
      {},
      {}};
  for (const Contender& contender : comparison.contenders) table.rows.push_back(contender_row(contender));
  return table;
}

}  // namespace gpubench
