// All of a comparison as rows of values.

#include <algorithm>

#include "pages/comparison/comparison_page.h"
#include "pages/energy_table.h"
#include "pages/words.h"

namespace gpubench {
namespace {

using Row = std::vector<Cell>;

const std::vector<Column>& columns() {
  static const std::vector<Column> all = [] {
    std::vector<Column> columns;
    for (const char* name : {"contender",
                             "file",
                             "host",
                             "device",
                             "device_model",
                             "model",
                             "sizes",
                             "dataset",
                             "batch",
                             "execution",
                             "precision",
                             "layout",
                             "loader",
                             "protocol",
                             "status",
                             "status_message",
                             "repetitions",
                             "median_epoch_seconds",
                             "median_epoch_low_seconds",
                             "median_epoch_high_seconds",
                             "startup_seconds",
                             "epoch_joules",
                             "epoch_joules_low",
                             "epoch_joules_high",
                             "net_epoch_joules",
                             "joules_per_1000_samples",
                             "mean_watts",
                             "energy_scope",
                             "energy_method",
                             "against",
                             "speed_ratio",
                             "speed_ratio_low",
                             "speed_ratio_high",
                             "energy_ratio",
                             "energy_ratio_low",
                             "energy_ratio_high",
                             "efficiency_ratio",
                             "efficiency_ratio_low",
                             "efficiency_ratio_high",
                             "time_verdict",
                             "energy_verdict"})
      columns.push_back({name});
    return columns;
  }();
  return all;
}

Cell count_cell(std::int64_t count) { return {std::to_string(count), static_cast<double>(count)}; }

/// Empty where there is no figure: the words are for people.
Cell value_cell(const Reading<double>& value) {
  return value.has_value() ? Cell{"", value.value()} : Cell{""};
}

void add_estimate(const Reading<Estimate>& estimate, Row& row) {
  for (Cell& cell : estimate_cells(estimate)) row.push_back(std::move(cell));
}

Row case_row(const Contender& contender, const RowFigures& figures) {
  const RowIdentity& asked = figures.identity;
  Row row = {{contender.label},
             {contender.file},
             {contender.host},
             {contender.device.name},
             {contender.device.model},
             {asked.subject()},
             {asked.at("sizes")},
             {asked.at("dataset")},
             count_cell(asked.number("batch")),
             {figures.execution_used},
             {asked.at("precision")},
             {figures.layout_used},
             {asked.at("loader")},
             {asked.at("protocol")},
             {figures.status},
             {figures.status_reason},
             count_cell(figures.processes)};
  add_estimate(figures.seconds, row);
  row.push_back(value_cell(figures.startup_seconds));
  add_estimate(figures.epoch_joules, row);
  row.push_back(value_cell(figures.energy.net_joules));
  row.push_back(value_cell(figures.energy.joules_per_1000_samples));
  row.push_back(value_cell(figures.energy.mean_watts));
  row.push_back({figures.energy.scope});
  row.push_back({figures.energy.method});
  return row;
}

void add_ratios(const Comparison& comparison, const Duel& duel, const Pair& pair, Row& row) {
  row.push_back({comparison.base_of(duel).label});
  add_estimate(speed_ratio(comparison, duel, pair), row);
  add_estimate(energy_ratio(comparison, duel, pair), row);
  add_estimate(efficiency_ratio(comparison, duel, pair), row);
  const bool is_common = pair.base != nullptr && pair.other != nullptr;
  row.push_back({is_common ? to_string(judgement_on(Metric::kTime, comparison, duel, pair)) : ""});
  const bool has_energy =
      is_common && pair.base->epoch_joules.has_value() && pair.other->epoch_joules.has_value();
  row.push_back({has_energy ? to_string(judgement_on(Metric::kEnergy, comparison, duel, pair)) : ""});
}

void add_lone(const Contender& contender, Table& table) {
  for (const RowFigures& figures : contender.rows) {
    table.rows.push_back(case_row(contender, figures));
    table.rows.back().resize(columns().size());
  }
}

/// Of an epoch, from its joules.
void add_cost(double price_kwh, Table& table) {
  const auto joules = static_cast<std::size_t>(
      std::find_if(columns().begin(), columns().end(),
                   [](const Column& column) { return column.heading == "epoch_joules"; }) -
      columns().begin());
  table.columns.push_back({"epoch_cost"});
  for (Row& row : table.rows) {
    const std::optional<double>& value = row[joules].value;
    row.push_back(value ? Cell{"", cost_of(*value, price_kwh)} : Cell{""});
  }
}

void add_duel(const Comparison& comparison, const Duel& duel, Table& table) {
  for (const Pair& pair : duel.pairs) {
    if (pair.other == nullptr) continue;
    table.rows.push_back(case_row(comparison.other_of(duel), *pair.other));
    add_ratios(comparison, duel, pair, table.rows.back());
  }
}

}  // namespace

Table comparison_data(const Comparison& comparison) {
  Table table{"", columns(), {}};
  std::vector<bool> is_other(comparison.contenders.size(), false);
  for (const Duel& duel : comparison.duels) is_other[duel.other] = true;
  for (std::size_t i = 0; i < is_other.size(); ++i) {
    if (!is_other[i]) add_lone(comparison.contenders[i], table);
  }
  for (const Duel& duel : comparison.duels) add_duel(comparison, duel, table);
  if (comparison.price_kwh) add_cost(*comparison.price_kwh, table);
  return table;
}

}  // namespace gpubench
