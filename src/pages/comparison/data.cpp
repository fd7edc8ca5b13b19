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

/// A case of a candidate, and its pair with the baseline; null for cases of the baseline.
struct DataRow : CandidateRow {
  const Pair* pair;
  Measured<RowRatio> ratio;  ///< Ratio of the main metric to the baseline.
};

template <class Row>
void add_candidate(Columns<Row>& table) {
  table.text("machine", [](const Row& row) { return row.candidate->name; });
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
      const RowIdentity& identity = row.row->identity;
      if (parameter.values.is_number()) return to_cell(identity.number(key));
      const bool is_used = *parameter.use.used != '\0';
      return Cell{is_used ? find_condition(*row.row, parameter.label) : identity.at(key)};
    });
  }
}

/// Adds the values of each metric that a row has, and their ratios to the baseline.
void add_metrics(Columns<DataRow>& table) {
  using Row = DataRow;
  table.text("status", [](const Row& row) { return row.row->status; });
  table.text("status_message", [](const Row& row) { return row.row->status_reason; });
  table.text("repetitions", [](const Row& row) { return row.row->processes; });
  table.text("against",
             [](const Row& row) { return row.pair == nullptr ? "" : row.pair->owner->base->name; });
  const auto add_estimate = [&](const std::string& key, const auto& make) {
    table.add_estimate({key, key + "_low", key + "_high"}, make);
  };
  add_estimate("speed_ratio", [](const Row& row) { return row.ratio.then(&RowRatio::ratio); });
  table.text("metric", [](const Row& row) {
    return row.ratio.then([](const RowRatio& one) { return one.over->metric->key; }).value_or("");
  });
  table.text("verdict", [](const Row& row) {
    if (!row.ratio.has_value()) return std::string();
    const double margin = row.pair->owner->margin();
    return outcome_word(decide_outcome(row.ratio.value().ratio, margin), margin,
                        row.ratio.value().over->metric->use->metric_class);
  });
  for (std::size_t i = 0; i < Effects().size(); ++i) {
    const auto metric_class = static_cast<MetricClass>(i);
    const auto has_class = [&](const ComparedRow& row) {
      return std::ranges::any_of(row.metrics, [&](const MetricSamples& samples) {
        return samples.metric->use->metric_class == metric_class && samples.estimate.has_value();
      });
    };
    if (!table.any([&](const Row& row) { return has_class(*row.row); })) continue;
    table.text(to_string(metric_class) + "_comparability", [&](const Row& row) {
      const bool has_both = row.pair != nullptr && row.pair->is_common() && has_class(*row.pair->base) &&
                            has_class(*row.pair->other);
      return has_both ? to_string(comparability_on(metric_class, *row.pair)) : "";
    });
  }
  for (const Metric* metric : all_metrics()) {
    const auto has_value = [&](const Row& row) { return row.row->estimate(*metric).has_value(); };
    if (!table.any(has_value)) continue;
    add_estimate(metric->key, [&](const Row& row) { return row.row->estimate(*metric); });
    add_estimate(metric->key + "_ratio", [&](const Row& row) {
      return row.pair == nullptr ? Measured<Estimate>() : compute_ratio(*metric, *row.pair);
    });
  }
  table.add_known({"energy_scope"}, [](const Row& row) { return row.row->energy.scope; });
  table.add_known({"energy_method"}, [](const Row& row) { return row.row->energy.method; });
}

/// A value in long form.
struct ValueRow {
  std::string metric;
  std::string scope;  ///< "case", "model" or "all".
  const Candidate* candidate = nullptr;
  const Candidate* against = nullptr;  ///< Baseline of a ratio; null for other values.
  const ComparedRow* row = nullptr;    ///< Null for averages and scaling.
  std::string model = {};
  std::string variant = {};
  std::string precision = {};
  Measured<Estimate> value = {};
  std::size_t cases = 1;
  Measured<Summary> ratios = {};          ///< Summary of the ratios in an average.
  const RowIdentity* identity = nullptr;  ///< Null for averages.
};

struct ValueRows {
  RowNames names;
  bool is_of_ops;
  std::vector<ValueRow> rows = {};

  /// Adds a value of a case. Scaling values have no `row`.
  void add_case(const std::string& metric, const Candidate* candidate, const RowIdentity& identity,
                const Measured<Estimate>& value, const ComparedRow* row = nullptr) {
    const RowIdentity work = row == nullptr ? identity.without({"world_size"}) : identity;
    rows.push_back({.metric = metric,
                    .scope = "case",
                    .candidate = candidate,
                    .row = row,
                    .model = identity.subject(),
                    .variant = format_variant(work, true),
                    .precision = identity.at("precision"),
                    .value = value,
                    .identity = &identity});
  }

  /// Adds ratios per case, then averages per model and over all; optionally per precision.
  void add_ratios(const std::string& metric, const std::vector<RowRatio>& ratios, bool is_of_precision) {
    const auto find_group = [&](const RowRatio& ratio) {
      return std::tuple{ratio.base.candidate, ratio.other.candidate,
                        is_of_precision ? ratio.other.row->identity.at("precision") : ""};
    };
    const auto find_work = [&](const RowRatio& ratio) {
      const RowIdentity& identity = ratio.other.row->identity;
      return std::pair{identity.subject(), format_variant(identity, !is_of_precision)};
    };
    for (const auto& [group, its_ratios] : grouped(ratios, find_group)) {
      const auto& [against, candidate, precision] = group;
      for (const RowRatio& ratio : its_ratios) {
        add_case(metric, candidate, ratio.other.row->identity, ratio.ratio, ratio.other.row);
        rows.back().against = against;
        rows.back().variant = find_work(ratio).second;
      }
      auto averages = grouped(its_ratios, find_work);
      averages.push_back({{}, its_ratios});  // Over all works, so without a model.
      for (const auto& [work, averaged] : averages) {
        rows.push_back({.metric = metric,
                        .scope = work.first.empty() ? "all" : "model",
                        .candidate = candidate,
                        .against = against,
                        .model = work.first,
                        .variant = work.second,
                        .precision = precision,
                        .value = compute_mean(averaged),
                        .cases = averaged.size(),
                        .ratios = summarize(ratio_values(averaged))});
      }
    }
  }

  /// Returns the name of a case without model and batch size, or of an operation without its sizes.
  std::string format_variant(const RowIdentity& identity, bool has_precision) const {
    const RowIdentity modes =
        is_of_ops ? identity.without({"op", "sizes"}) : identity.without({"model", "batch_size"});
    return names.of(has_precision ? modes : modes.without({"precision"}));
  }
};

Measured<Estimate> compute_flops(const ComparedRow& row) {
  if (!(row.flop > 0)) return missing("the operation only moves data");
  return typical_seconds(row).then(
      [&](const Estimate& seconds) { return scaled(inverted(seconds), row.flop); });
}

Table make_table(const ValueRows& rows) {
  using Row = ValueRow;
  Columns<Row> table(rows.rows);
  table.text("metric", &Row::metric);
  table.text("scope", &Row::scope);
  add_candidate(table);
  table.text("publication",
             [](const Row& row) { return row.candidate->published ? row.candidate->published->title : ""; });
  table.text("against", [](const Row& row) { return row.against == nullptr ? "" : row.against->name; });
  table.text("model", &Row::model);
  table.text("variant", &Row::variant);
  const auto keys = rows.is_of_ops ? std::vector{"op", "sizes", "type", "direction", "cache"}
                                   : std::vector{"sizes", "dataset", "batch_size", "world_size"};
  for (const char* const key : keys)
    table.text(key, [key](const Row& row) { return row.identity == nullptr ? "" : row.identity->at(key); });
  table.text("precision", &Row::precision);
  table.text("status", [](const Row& row) { return row.row == nullptr ? "" : row.row->status; });
  table.text("status_message",
             [](const Row& row) { return row.row == nullptr ? "" : row.row->status_reason; });
  table.text("cases", &Row::cases);
  table.add_estimate({"value", "low", "high"}, [](const Row& row) { return row.value; });
  table.text("mean", [](const Row& row) { return value_cell(row.ratios.then(&Summary::mean)); });
  table.text("min", [](const Row& row) { return value_cell(row.ratios.then(&Summary::min)); });
  table.text("max", [](const Row& row) { return value_cell(row.ratios.then(&Summary::max)); });
  return table.take();
}

}  // namespace

Table comparison_data(const Comparison& comparison) {
  std::map<const ComparedRow*, const Pair*> pairs;
  for (const CandidatePair& versus : comparison.versus_baseline) {
    for (const Pair& pair : versus.pairs) pairs[pair.other] = &pair;
  }
  const auto rows = mapped(list_rows(comparison.candidates), [&](const CandidateRow& row) {
    const Pair* const pair = pairs[row.row];
    return DataRow{row, pair, pair == nullptr ? missing("the baseline") : find_ratio(nullptr, *pair)};
  });
  Columns<DataRow> table(rows);
  add_candidate(table);
  table.text("device_model", [](const DataRow& row) { return row.candidate->device.model; });
  if (are_operations(comparison))
    add_parameters(table, op_parameters());
  else
    add_parameters(table, train_parameters());
  add_metrics(table);
  if (comparison.price_kwh) {
    table.text("epoch_cost", [price = *comparison.price_kwh](const DataRow& row) {
      return value_cell(row.row->estimate("mean_epoch_joules").then([&](const Estimate& joules) {
        return compute_cost(joules.value, price);
      }));
    });
  }
  return table.take();
}

Table comparison_values(const Comparison& comparison) {
  ValueRows rows{RowNames(make_identities(comparison.candidates)), are_operations(comparison)};
  for (const auto& [candidate, row] : list_rows(comparison.candidates)) {
    for (const MetricSamples& samples : row->metrics) {
      // A missing time has a row, which tells readers about a failed case.
      const bool is_time =
          samples.metric->key == "median_epoch_seconds" || samples.metric->key == "median_call_seconds";
      if (is_time || samples.estimate.has_value())
        rows.add_case(samples.metric->key, candidate, row->identity, samples.estimate, row);
    }
    if (rows.is_of_ops) rows.add_case("flops_per_second", candidate, row->identity, compute_flops(*row), row);
  }
  for (const Candidate& candidate : comparison.candidates) {
    for (const ScalingRow& row : candidate.scaling) {
      rows.add_case(row.kind + "_efficiency", &candidate, row.identity,
                    Estimate{row.efficiency, row.interval});
      rows.add_case(row.kind + "_communication_share", &candidate, row.identity,
                    row.communication_share.then([](double value) { return Estimate{value}; }));
    }
  }
  const std::vector<const Metric*> metrics = compared_metrics(comparison);
  for (const CandidatePair& versus : comparison.versus_baseline) {
    for (const Metric* metric : metrics) {
      const std::string key = metric == nullptr ? "speed_ratio" : metric->key + "_ratio";
      const std::vector<RowRatio> ratios = row_ratios(versus, metric);
      rows.add_ratios(key, ratios, false);
      // An average over 0 cases shows readers that the two were compared.
      if (ratios.empty())
        rows.rows.push_back(
            {.metric = key, .scope = "all", .candidate = versus.other, .against = versus.base, .cases = 0});
    }
  }
  rows.add_ratios("gpu_benefit", gpu_benefits(comparison), false);
  rows.add_ratios("precision_gain", precision_gains(comparison), true);
  return make_table(rows);
}

}  // namespace gpubench
