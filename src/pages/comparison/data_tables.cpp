// All of a comparison as rows of values.

#include <algorithm>

#include "gpubench/core/collect.h"
#include "gpubench/record/derived.h"
#include "pages/columns.h"
#include "pages/comparison/comparison_page.h"
#include "pages/comparison/sections.h"
#include "pages/energy_table.h"

namespace gpubench {
namespace {

/// A case, with the pair in which it is the other one; null for one of a baseline.
struct Row {
  const Contender* contender;
  const RowFigures* figures;
  const Pair* pair;
};

std::vector<Row> case_rows(const Comparison& comparison) {
  std::vector<Row> rows;
  for (const ContenderRow& row : rows_of(comparison.contenders)) {
    const auto duel = std::ranges::find(comparison.duels, row.contender, &Duel::other);
    if (duel == comparison.duels.end()) rows.push_back({row.contender, row.figures, nullptr});
  }
  for (const Duel& duel : comparison.duels) {
    for (const Pair& pair : duel.pairs) {
      if (pair.other != nullptr) rows.push_back({duel.other, pair.other, &pair});
    }
  }
  return rows;
}

void add_part(Columns<Row>& table, const char* key) {
  table.add({key}, [&](const Row& row) { return row.figures->identity.at(key); });
}

void add_count(Columns<Row>& table, const char* heading, std::int64_t (*count_of)(const RowFigures&)) {
  table.add({heading}, [&](const Row& row) { return Cell{"", static_cast<double>(count_of(*row.figures))}; });
}

void add_names(Columns<Row>& table) {
  table.add({"contender"}, [](const Row& row) { return row.contender->label; });
  table.add({"file"}, [](const Row& row) { return row.contender->file; });
  table.add({"host"}, [](const Row& row) { return row.contender->host; });
  table.add({"device"}, [](const Row& row) { return row.contender->device.name; });
  table.add({"device_model"}, [](const Row& row) { return row.contender->device.model; });
  for (const char* key : {"model", "sizes", "dataset"}) add_part(table, key);
  add_count(table, "batch", [](const RowFigures& figures) { return figures.identity.number("batch"); });
  table.add({"execution"}, [](const Row& row) { return row.figures->execution_used; });
  add_part(table, "precision");
  table.add({"layout"}, [](const Row& row) { return row.figures->layout_used; });
  for (const char* key : {"loader", "protocol"}) add_part(table, key);
}

void add_figures(Columns<Row>& table) {
  table.add({"status"}, [](const Row& row) { return row.figures->status; });
  table.add({"status_message"}, [](const Row& row) { return row.figures->status_reason; });
  add_count(table, "repetitions", [](const RowFigures& figures) { return figures.processes; });
  table.add_estimate({"median_epoch_seconds", "median_epoch_low_seconds", "median_epoch_high_seconds"},
                     [](const Row& row) { return row.figures->seconds; });
  table.add({"startup_seconds"}, [](const Row& row) { return value_cell(row.figures->startup_seconds); });
  table.add({"process_start_seconds"},
            [](const Row& row) { return value_cell(row.figures->process_start_seconds); });
  table.add_estimate({"epoch_joules", "epoch_joules_low", "epoch_joules_high"},
                     [](const Row& row) { return row.figures->epoch_joules; });
  using E = EnergyFigures;
  for (const auto& [heading, field] : {std::pair{"net_epoch_joules", &E::net_joules},
                                       {"joules_per_1000_samples", &E::joules_per_1000_samples},
                                       {"mean_watts", &E::mean_watts}}) {
    table.add({heading},
              [member = field](const Row& row) { return value_cell(row.figures->energy.*member); });
  }
  table.add({"energy_scope"}, [](const Row& row) { return row.figures->energy.scope; });
  table.add({"energy_method"}, [](const Row& row) { return row.figures->energy.method; });
}

/// Empty for what is in no pair.
std::string verdict_of(Metric metric, const Pair* pair) {
  return pair != nullptr && pair->is_common() ? to_string(judgement_on(metric, *pair)) : "";
}

void add_ratios(Columns<Row>& table) {
  const auto of_pair = [](Reading<Estimate> (*ratio_of)(const Pair&)) {
    return [ratio_of](const Row& row) {
      return row.pair == nullptr ? Reading<Estimate>(absent("no ratio")) : ratio_of(*row.pair);
    };
  };
  table.add({"against"},
            [](const Row& row) { return row.pair == nullptr ? "" : row.pair->duel->base->label; });
  table.add_estimate({"speed_ratio", "speed_ratio_low", "speed_ratio_high"}, of_pair(speed_ratio));
  table.add_estimate({"energy_ratio", "energy_ratio_low", "energy_ratio_high"}, of_pair(energy_ratio));
  table.add_estimate({"energy_delay_ratio", "energy_delay_ratio_low", "energy_delay_ratio_high"},
                     of_pair(energy_delay_ratio));
  table.add({"time_verdict"}, [](const Row& row) { return verdict_of(Metric::kTime, row.pair); });
  table.add({"energy_verdict"}, [](const Row& row) {
    return row.pair != nullptr && row.pair->has_energies() ? verdict_of(Metric::kEnergy, row.pair) : "";
  });
}

}  // namespace

Table comparison_data(const Comparison& comparison) {
  const std::vector<Row> rows = case_rows(comparison);
  Columns<Row> table(rows);
  add_names(table);
  add_figures(table);
  add_ratios(table);
  if (comparison.price_kwh) {
    table.add({"epoch_cost"}, [price = *comparison.price_kwh](const Row& row) {
      return value_cell(row.figures->epoch_joules.then(
          [&](const Estimate& joules) { return cost_of(joules.value, price); }));
    });
  }
  return table.take();
}

Table ops_comparison_data(const Comparison& comparison) {
  std::vector<Pair> pairs;
  for (const Duel& duel : comparison.duels) append(pairs, duel.pairs);
  Columns<Pair> table(pairs);
  table.add({"baseline"}, [](const Pair& pair) { return pair.duel->base->file; });
  table.add({"baseline_device"}, [](const Pair& pair) { return pair.duel->base->device.name; });
  table.add({"file"}, [](const Pair& pair) { return pair.duel->other->file; });
  table.add({"device"}, [](const Pair& pair) { return pair.duel->other->device.name; });
  for (const char* key : {"op", "sizes", "type", "direction", "cache"})
    table.add({key}, [&](const Pair& pair) { return pair.any().identity.at(key); });
  for (const auto& [heading, which] : {std::pair{"baseline_status", &Pair::base}, {"status", &Pair::other}}) {
    table.add({heading},
              [side = which](const Pair& pair) { return pair.*side == nullptr ? "" : (pair.*side)->status; });
  }
  for (const auto& [heading, which] :
       {std::pair{"baseline_call_seconds", &Pair::base}, {"median_call_seconds", &Pair::other}}) {
    table.add({heading}, [side = which](const Pair& pair) {
      return pair.*side == nullptr ? Cell{""} : value_cell((pair.*side)->seconds.then(&Estimate::value));
    });
  }
  table.add_estimate({"ratio", "ratio_low", "ratio_high"}, speed_ratio);
  table.add({"speed_up_percent"}, [](const Pair& pair) {
    return value_cell(speed_ratio(pair).then([](const Estimate& ratio) { return 100 * (ratio.value - 1); }));
  });
  return table.take();
}

}  // namespace gpubench
