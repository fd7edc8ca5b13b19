#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "gpubench/core/collect.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/parameter.h"
#include "pages/comparison/comparison_page.h"
#include "pages/comparison/sections.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

/// A case of a candidate and its pair with the baseline; null for cases of the baseline.
struct DataRow {
  const Candidate* candidate;
  const RowFigures* figures;
  const Pair* pair;
};

std::vector<DataRow> list_rows(const Comparison& comparison) {
  std::map<const RowFigures*, const Pair*> pairs;
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    for (const Pair& pair : versus.pairs) pairs[pair.other] = &pair;
  }
  return mapped(make_rows(comparison.candidates), [&](const CandidateRow& row) {
    return DataRow{row.candidate, row.figures, pairs[row.figures]};
  });
}

template <class Row>
void add_candidate(Columns<Row>& table) {
  table.text("candidate", [](const Row& row) { return row.candidate->label; });
  table.text("file", [](const Row& row) { return row.candidate->file; });
  table.text("host", [](const Row& row) { return row.candidate->host; });
  table.text("device", [](const Row& row) { return row.candidate->device.name; });
}

/// Adds a column per parameter in names of rows; of automatic modes the one that was used.
template <class Point>
void add_parameters(Columns<DataRow>& table, const ParameterTable<Point>& parameters) {
  for (const Parameter<Point>& parameter : parameters) {
    const std::string& key = parameter.key;
    if (parameter.use.in_name == InName::kNever || key == "device") continue;
    table.text(key, [&](const DataRow& row) {
      const RowIdentity& identity = row.figures->identity;
      if (parameter.values.is_number()) return to_cell(identity.number(key));
      const bool is_used = *parameter.use.used != '\0';
      return Cell{is_used ? find_condition(*row.figures, parameter.label) : identity.at(key)};
    });
  }
}

void add_figures(Columns<DataRow>& table, bool is_of_ops) {
  table.text("status", [](const DataRow& row) { return row.figures->status; });
  table.text("status_message", [](const DataRow& row) { return row.figures->status_reason; });
  table.text("repetitions", [](const DataRow& row) { return row.figures->processes; });
  const auto seconds = [](const DataRow& row) { return row.figures->seconds; };
  if (is_of_ops) {
    table.add_estimate({"median_call_seconds", "median_call_low_seconds", "median_call_high_seconds"},
                       seconds);
    return;
  }
  table.add_estimate({"median_epoch_seconds", "median_epoch_low_seconds", "median_epoch_high_seconds"},
                     seconds);
  table.text("startup_seconds", [](const DataRow& row) { return value_cell(row.figures->startup_seconds); });
  table.add_estimate({"epoch_joules", "epoch_joules_low", "epoch_joules_high"},
                     [](const DataRow& row) { return row.figures->epoch_joules; });
  using E = EnergyFigures;
  for (const auto& [heading, field] : {std::pair{"net_epoch_joules", &E::net_joules},
                                       {"joules_per_1000_samples", &E::joules_per_1000_samples},
                                       {"mean_watts", &E::mean_watts}}) {
    table.text(heading,
               [member = field](const DataRow& row) { return value_cell(row.figures->energy.*member); });
  }
  table.text("energy_scope", [](const DataRow& row) { return row.figures->energy.scope; });
  table.text("energy_method", [](const DataRow& row) { return row.figures->energy.method; });
}

void add_ratios(Columns<DataRow>& table, bool is_of_ops) {
  table.text("against",
             [](const DataRow& row) { return row.pair == nullptr ? "" : row.pair->versus->base->label; });
  for (const ComparedMetric& metric : kComparedMetrics) {
    if (is_of_ops && metric.metric != Metric::kTime) continue;
    const std::string key = metric.key;
    table.add_estimate({key, key + "_low", key + "_high"}, [&](const DataRow& row) {
      return row.pair == nullptr ? Measured<Estimate>(missing("no ratio")) : compute_ratio(metric, *row.pair);
    });
  }
  for (const ComparedMetric* metric : {&kSpeed, &kEnergy}) {
    const auto has_both = metric == &kSpeed ? &Pair::is_common : &Pair::has_energies;
    if (is_of_ops && metric == &kEnergy) continue;
    table.text(metric == &kSpeed ? "time_verdict" : "energy_verdict", [=](const DataRow& row) {
      if (row.pair == nullptr || !std::invoke(has_both, row.pair)) return std::string();
      return to_string(comparability_on(metric->metric, *row.pair));
    });
  }
}

struct FigureRow {
  std::string figure;
  std::string scope;  ///< "case", "model" or "all".
  const Candidate* candidate = nullptr;
  const Candidate* against = nullptr;   ///< Baseline of a ratio; null for other figures.
  const RowFigures* figures = nullptr;  ///< Figures of the case; null for averages and scaling.
  std::string model = {};
  std::string variant = {};
  std::string precision = {};
  Measured<Estimate> value = {};
  std::size_t cases = 1;
  std::optional<Summary> ratios = {};     ///< Summary of the ratios in an average.
  const RowIdentity* identity = nullptr;  ///< Null for averages.
};

struct FigureRows {
  RowNames names;
  bool is_of_ops;
  std::vector<FigureRow> rows = {};

  /// Adds a figure of a case. Scaling figures have no `figures`.
  void add_case(const std::string& figure, const Candidate* candidate, const RowIdentity& identity,
                const Measured<Estimate>& value, const RowFigures* figures = nullptr) {
    const RowIdentity work = figures == nullptr ? identity.without({"world_size"}) : identity;
    rows.push_back({.figure = figure,
                    .scope = "case",
                    .candidate = candidate,
                    .figures = figures,
                    .model = identity.subject(),
                    .variant = format_variant(work, true),
                    .precision = identity.at("precision"),
                    .value = value,
                    .identity = &identity});
  }

  /// Adds ratios per case, then averages per model and over all; optionally per precision.
  void add_ratios(const std::string& figure, const std::vector<RowRatio>& ratios, bool is_of_precision) {
    const auto find_group = [&](const RowRatio& ratio) {
      return std::tuple{ratio.base.candidate, ratio.other.candidate,
                        is_of_precision ? ratio.other.figures->identity.at("precision") : ""};
    };
    const auto find_work = [&](const RowRatio& ratio) {
      const RowIdentity& identity = ratio.other.figures->identity;
      return std::pair{identity.subject(), format_variant(identity, !is_of_precision)};
    };
    for (const auto& [group, its_ratios] : grouped(ratios, find_group)) {
      const auto& [against, candidate, precision] = group;
      for (const RowRatio& ratio : its_ratios) {
        add_case(figure, candidate, ratio.other.figures->identity, ratio.ratio, ratio.other.figures);
        rows.back().against = against;
        rows.back().variant = find_work(ratio).second;
      }
      for (const auto& [work, those] : grouped(its_ratios, find_work))
        add_average(figure, "model", work, precision, those);
      add_average(figure, "all", {}, precision, its_ratios);
    }
  }

  void add_average(const std::string& figure, const std::string& scope,
                   const std::pair<std::string, std::string>& work, const std::string& precision,
                   const std::vector<RowRatio>& ratios) {
    rows.push_back({.figure = figure,
                    .scope = scope,
                    .candidate = ratios.front().other.candidate,
                    .against = ratios.front().base.candidate,
                    .model = work.first,
                    .variant = work.second,
                    .precision = precision,
                    .value = compute_mean(ratios),
                    .cases = ratios.size(),
                    .ratios = summarize(ratio_values(ratios))});
  }

  /// Returns the name of a case without model and batch size, or of an operation without its sizes.
  std::string format_variant(const RowIdentity& identity, bool has_precision) const {
    const RowIdentity modes = is_of_ops ? identity.without({"op", "sizes", "device"})
                                        : identity.without({"model", "device", "batch_size"});
    return names.of(has_precision ? modes : modes.without({"precision"}));
  }
};

Measured<Estimate> compute_flops(const RowFigures& row) {
  if (!(row.flop > 0)) return missing("the operation only moves data");
  return row.seconds.then([&](const Estimate& seconds) { return compute_rate(row.flop, seconds); });
}

Table make_table(const FigureRows& rows) {
  using Row = FigureRow;
  Columns<Row> table(rows.rows);
  table.text("figure", &Row::figure);
  table.text("scope", &Row::scope);
  add_candidate(table);
  table.text("publication",
             [](const Row& row) { return row.candidate->published ? row.candidate->published->title : ""; });
  table.text("against", [](const Row& row) { return row.against == nullptr ? "" : row.against->label; });
  table.text("model", &Row::model);
  table.text("variant", &Row::variant);
  const auto keys = rows.is_of_ops ? std::vector{"op", "sizes", "type", "direction", "cache"}
                                   : std::vector{"sizes", "dataset", "batch_size", "world_size"};
  for (const char* const key : keys)
    table.text(key, [key](const Row& row) { return row.identity == nullptr ? "" : row.identity->at(key); });
  table.text("precision", &Row::precision);
  table.text("status", [](const Row& row) { return row.figures == nullptr ? "" : row.figures->status; });
  table.text("status_message",
             [](const Row& row) { return row.figures == nullptr ? "" : row.figures->status_reason; });
  table.text("cases", &Row::cases);
  table.add_estimate({"value", "low", "high"}, [](const Row& row) { return row.value; });
  for (const auto& [heading, field] :
       {std::pair{"mean", &Summary::mean}, {"min", &Summary::min}, {"max", &Summary::max}}) {
    table.text(heading, [member = field](const Row& row) {
      return row.ratios ? Cell{"", (*row.ratios).*member} : Cell{""};
    });
  }
  return table.take();
}

}  // namespace

Table comparison_data(const Comparison& comparison) {
  const bool is_of_ops = are_operations(comparison);
  const std::vector<DataRow> rows = list_rows(comparison);
  Columns<DataRow> table(rows);
  add_candidate(table);
  table.text("device_model", [](const DataRow& row) { return row.candidate->device.model; });
  if (is_of_ops)
    add_parameters(table, op_parameters());
  else
    add_parameters(table, train_parameters());
  add_figures(table, is_of_ops);
  add_ratios(table, is_of_ops);
  if (comparison.price_kwh) {
    table.text("epoch_cost", [price = *comparison.price_kwh](const DataRow& row) {
      return value_cell(row.figures->epoch_joules.then(
          [&](const Estimate& joules) { return compute_cost(joules.value, price); }));
    });
  }
  return table.take();
}

Table comparison_figures(const Comparison& comparison) {
  const bool is_of_ops = are_operations(comparison);
  FigureRows rows{RowNames(make_identities(comparison.candidates)), is_of_ops};
  for (const auto& [candidate, figures] : make_rows(comparison.candidates)) {
    rows.add_case(is_of_ops ? "call_seconds" : "epoch_seconds", candidate, figures->identity,
                  figures->seconds, figures);
    if (is_of_ops)
      rows.add_case("flops_per_second", candidate, figures->identity, compute_flops(*figures), figures);
    const Measured<Estimate>& joules = figures->epoch_joules;
    if (joules.has_value()) rows.add_case("epoch_joules", candidate, figures->identity, joules, figures);
  }
  for (const Candidate& candidate : comparison.candidates) {
    for (const ScalingRow& row : candidate.scaling) {
      rows.add_case(row.kind + "_efficiency", &candidate, row.identity,
                    Estimate{row.efficiency, row.interval});
      rows.add_case(row.kind + "_communication_share", &candidate, row.identity,
                    row.communication_share.then([](double value) { return Estimate{value}; }));
    }
  }
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    for (const ComparedMetric& metric : kComparedMetrics) {
      if (is_of_ops && metric.metric != Metric::kTime) continue;
      const std::vector<RowRatio> ratios = row_ratios(versus, metric);
      rows.add_ratios(metric.key, ratios, false);
      // An average over 0 cases shows readers that the two were compared.
      if (ratios.empty())
        rows.rows.push_back({.figure = metric.key,
                             .scope = "all",
                             .candidate = versus.other,
                             .against = versus.base,
                             .cases = 0});
    }
  }
  rows.add_ratios("gpu_benefit", gpu_benefits(comparison), false);
  rows.add_ratios("precision_gain", precision_gains(comparison), true);
  return make_table(rows);
}

}  // namespace gpubench
