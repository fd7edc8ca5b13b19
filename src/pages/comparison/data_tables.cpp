// All of a comparison as rows of values.

#include <algorithm>

#include "gpubench/core/collect.h"
#include "gpubench/record/derived.h"
#include "pages/comparison/comparison_page.h"
#include "pages/comparison/sections.h"
#include "pages/energy_table.h"
#include "pages/record_table.h"

namespace gpubench {
namespace {

/// A case, with the pair in which it is the other one; null for one of a baseline.
struct DataRow {
  const Candidate* candidate;
  const RowFigures* figures;
  const Pair* pair;
};

std::vector<DataRow> aggregate_repeats(const Comparison& comparison) {
  std::vector<DataRow> rows;
  for (const CandidateRow& row : make_rows(comparison.candidates)) {
    const auto versus =
        std::ranges::find(comparison.versus_baseline, row.candidate, &BaselineComparison::other);
    if (versus == comparison.versus_baseline.end()) rows.push_back({row.candidate, row.figures, nullptr});
  }
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    for (const Pair& pair : versus.pairs) {
      if (pair.other != nullptr) rows.push_back({versus.other, pair.other, &pair});
    }
  }
  return rows;
}

void add_part(Columns<DataRow>& table, const char* key) {
  table.add({key}, [&](const DataRow& row) { return row.figures->identity.at(key); });
}

void add_count(Columns<DataRow>& table, const char* heading, std::int64_t (*get_count)(const RowFigures&)) {
  table.add({heading}, [&](const DataRow& row) {
    return Cell{"", static_cast<double>(get_count(*row.figures))};
  });
}

void add_names(Columns<DataRow>& table) {
  table.add({"candidate"}, [](const DataRow& row) { return row.candidate->label; });
  table.add({"file"}, [](const DataRow& row) { return row.candidate->file; });
  table.add({"host"}, [](const DataRow& row) { return row.candidate->host; });
  table.add({"device"}, [](const DataRow& row) { return row.candidate->device.name; });
  table.add({"device_model"}, [](const DataRow& row) { return row.candidate->device.model; });
  for (const char* key : {"model", "sizes", "dataset"}) add_part(table, key);
  add_count(table, "batch_size",
            [](const RowFigures& figures) { return figures.identity.number("batch_size"); });
  table.add({"execution"}, [](const DataRow& row) { return row.figures->execution_used; });
  add_part(table, "precision");
  table.add({"layout"}, [](const DataRow& row) { return row.figures->layout_used; });
  for (const char* key : {"loader", "protocol"}) add_part(table, key);
}

void add_figures(Columns<DataRow>& table) {
  table.add({"status"}, [](const DataRow& row) { return row.figures->status; });
  table.add({"status_message"}, [](const DataRow& row) { return row.figures->status_reason; });
  add_count(table, "repetitions", [](const RowFigures& figures) { return figures.processes; });
  table.add_estimate({"median_epoch_seconds", "median_epoch_low_seconds", "median_epoch_high_seconds"},
                     [](const DataRow& row) { return row.figures->seconds; });
  table.add({"startup_seconds"}, [](const DataRow& row) { return value_cell(row.figures->startup_seconds); });
  table.add({"process_start_seconds"},
            [](const DataRow& row) { return value_cell(row.figures->process_start_seconds); });
  table.add_estimate({"epoch_joules", "epoch_joules_low", "epoch_joules_high"},
                     [](const DataRow& row) { return row.figures->epoch_joules; });
  using E = EnergyFigures;
  for (const auto& [heading, field] : {std::pair{"net_epoch_joules", &E::net_joules},
                                       {"joules_per_1000_samples", &E::joules_per_1000_samples},
                                       {"mean_watts", &E::mean_watts}}) {
    table.add({heading},
              [member = field](const DataRow& row) { return value_cell(row.figures->energy.*member); });
  }
  table.add({"energy_scope"}, [](const DataRow& row) { return row.figures->energy.scope; });
  table.add({"energy_method"}, [](const DataRow& row) { return row.figures->energy.method; });
}

/// Empty for what is in no pair.
std::string format_verdict(Metric metric, const Pair* pair) {
  return pair != nullptr && pair->is_common() ? to_string(comparability_on(metric, *pair)) : "";
}

void add_ratios(Columns<DataRow>& table) {
  const auto of_pair = [](Measured<Estimate> (*compute_ratio)(const Pair&)) {
    return [compute_ratio](const DataRow& row) {
      return row.pair == nullptr ? Measured<Estimate>(missing("no ratio")) : compute_ratio(*row.pair);
    };
  };
  table.add({"against"},
            [](const DataRow& row) { return row.pair == nullptr ? "" : row.pair->versus->base->label; });
  table.add_estimate({"speed_ratio", "speed_ratio_low", "speed_ratio_high"}, of_pair(speed_ratio));
  table.add_estimate({"energy_ratio", "energy_ratio_low", "energy_ratio_high"}, of_pair(energy_ratio));
  table.add_estimate({"energy_delay_ratio", "energy_delay_ratio_low", "energy_delay_ratio_high"},
                     of_pair(energy_delay_ratio));
  table.add({"time_verdict"}, [](const DataRow& row) { return format_verdict(Metric::kTime, row.pair); });
  table.add({"energy_verdict"}, [](const DataRow& row) {
    return row.pair != nullptr && row.pair->has_energies() ? format_verdict(Metric::kEnergy, row.pair) : "";
  });
}

}  // namespace

Table comparison_data(const Comparison& comparison) {
  const std::vector<DataRow> rows = aggregate_repeats(comparison);
  Columns<DataRow> table(rows);
  add_names(table);
  add_figures(table);
  add_ratios(table);
  if (comparison.price_kwh) {
    table.add({"epoch_cost"}, [price = *comparison.price_kwh](const DataRow& row) {
      return value_cell(row.figures->epoch_joules.then(
          [&](const Estimate& joules) { return compute_cost(joules.value, price); }));
    });
  }
  return table.take();
}

Table ops_comparison_data(const Comparison& comparison) {
  std::vector<Pair> pairs;
  for (const BaselineComparison& versus : comparison.versus_baseline) append(pairs, versus.pairs);
  Columns<Pair> table(pairs);
  table.add({"baseline"}, [](const Pair& pair) { return pair.versus->base->file; });
  table.add({"baseline_device"}, [](const Pair& pair) { return pair.versus->base->device.name; });
  table.add({"file"}, [](const Pair& pair) { return pair.versus->other->file; });
  table.add({"device"}, [](const Pair& pair) { return pair.versus->other->device.name; });
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
