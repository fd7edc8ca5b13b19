// All figures of a comparison, a row each, averages included: what other programs draw.

#include <tuple>
#include <utility>

#include "compare/row_names.h"
#include "gpubench/core/collect.h"
#include "pages/comparison/comparison_page.h"
#include "pages/record_table.h"

namespace gpubench {
namespace {

/// A row before it is cells.
struct FigureRow {
  std::string figure;
  std::string scope;  ///< "case", "model", "all".
  const Candidate* candidate = nullptr;
  const Candidate* against = nullptr;   ///< Null for a figure that is no ratio.
  const RowFigures* figures = nullptr;  ///< Of one case; null for averages and for what ranks gain.
  std::string model = {};
  std::string variant = {};
  std::string precision = {};
  Measured<Estimate> value = {};
  std::size_t cases = 1;
  std::optional<Average> average = {};  ///< Of several cases.
  const ScalingRow* scaling = nullptr;  ///< What ranks gain; else null.

  /// Null for averages.
  const RowIdentity* identity() const {
    if (figures != nullptr) return &figures->identity;
    return scaling != nullptr ? &scaling->identity : nullptr;
  }
};

/// The rows as they are made.
struct FigureRows {
  RowNames names;
  std::vector<FigureRow> rows = {};

  void add_case(const char* figure, const CandidateRow& row, const Measured<Estimate>& value) {
    const RowIdentity& identity = row.figures->identity;
    rows.push_back({figure, "case", row.candidate, nullptr, row.figures, identity.subject(),
                    format_variant(identity, true), identity.at("precision"), value});
  }

  void add_scaling(const Candidate& candidate, const ScalingRow& row) {
    const auto add = [&](const std::string& figure, const Measured<Estimate>& value) {
      rows.push_back({.figure = figure,
                      .scope = "case",
                      .candidate = &candidate,
                      .model = row.identity.subject(),
                      .variant = format_variant(row.identity.without({"world_size"}), true),
                      .precision = row.identity.at("precision"),
                      .value = value,
                      .scaling = &row});
    };
    add(row.kind + "_efficiency", Estimate{row.efficiency, row.interval});
    const auto as_estimate = [](double value) { return Estimate{value}; };
    add(row.kind + "_communication_share", row.communication_share.then(as_estimate));
  }

  /// Of one candidate to another one, or to itself: case by case, then averages by model and over all. A
  /// figure that is about the precision is averaged for each of these.
  void add_ratios(const std::string& figure, const std::vector<RowRatio>& ratios, bool is_of_precision) {
    const auto find_group = [&](const RowRatio& ratio) {
      return std::tuple{ratio.base, ratio.other,
                        is_of_precision ? ratio.other_row->identity.at("precision") : ""};
    };
    for (const auto& [group, its_ratios] : grouped(ratios, find_group))
      add_group(figure, its_ratios, std::get<2>(group));
  }

  /// `precision` is empty where the figure is not about that.
  void add_group(const std::string& figure, const std::vector<RowRatio>& ratios,
                 const std::string& precision) {
    const Candidate* candidate = ratios.front().other;
    const Candidate* against = ratios.front().base;
    const auto to_work = [&](const RowRatio& ratio) {
      const RowIdentity& identity = ratio.other_row->identity;
      return std::pair{identity.subject(), format_variant(identity, precision.empty())};
    };
    for (const RowRatio& ratio : ratios) {
      const auto [model, variant] = to_work(ratio);
      rows.push_back({figure, "case", candidate, against, ratio.other_row, model, variant,
                      ratio.other_row->identity.at("precision"), ratio.ratio});
    }
    const auto add_average = [&](const char* scope, const auto& work, const std::vector<RowRatio>& of) {
      const Average average = compute_average(of);
      rows.push_back({figure, scope, candidate, against, nullptr, work.first, work.second, precision,
                      average.geometric_mean, average.count, average});
    };
    for (const auto& [work, its_ratios] : grouped(ratios, to_work)) add_average("model", work, its_ratios);
    add_average("all", std::pair{"", ""}, ratios);
  }

  /// What tells a case of its model apart besides the batch size, and the precision where that is the
  /// figure's.
  std::string format_variant(const RowIdentity& identity, bool tells_precision) const {
    const RowIdentity manner = identity.without({"model", "device", "batch_size"});
    return names.of(tells_precision ? manner : manner.without({"precision"}));
  }
};

/// What is told of a single case.
template <class CellOf>
void add_of_case(Columns<FigureRow>& table, const char* heading, CellOf make_cell) {
  table.add({heading}, [&](const FigureRow& row) {
    return row.figures == nullptr ? Cell{""} : Cell{make_cell(*row.figures)};
  });
}

/// A part of what identifies a case.
void add_part(Columns<FigureRow>& table, const char* key) {
  table.add({key}, [&](const FigureRow& row) {
    return row.identity() == nullptr ? Cell{""} : Cell{row.identity()->at(key)};
  });
}

Table make_table(const std::vector<FigureRow>& rows) {
  using Row = FigureRow;
  Columns<Row> table(rows);
  table.add({"figure"}, [](const Row& row) { return row.figure; });
  table.add({"scope"}, [](const Row& row) { return row.scope; });
  table.add({"candidate"}, [](const Row& row) { return row.candidate->label; });
  table.add({"file"}, [](const Row& row) { return row.candidate->file; });
  table.add({"host"}, [](const Row& row) { return row.candidate->host; });
  table.add({"device"}, [](const Row& row) { return row.candidate->device.name; });
  table.add({"publication"}, [](const Row& row) { return row.candidate->publication; });
  table.add({"against"}, [](const Row& row) { return row.against == nullptr ? "" : row.against->label; });
  table.add({"model"}, [](const Row& row) { return row.model; });
  table.add({"variant"}, [](const Row& row) { return row.variant; });
  for (const char* const key : {"sizes", "dataset", "batch_size", "world_size"}) add_part(table, key);
  table.add({"precision"}, [](const Row& row) { return row.precision; });
  add_of_case(table, "status", [](const RowFigures& figures) { return figures.status; });
  add_of_case(table, "status_message", [](const RowFigures& figures) { return figures.status_reason; });
  table.add({"cases"}, [](const Row& row) { return Cell{"", static_cast<double>(row.cases)}; });
  table.add_estimate({"value", "low", "high"}, [](const Row& row) { return row.value; });
  for (const auto& [heading, field] : {std::pair{"mean", &Average::arithmetic_mean},
                                       {"min", &Average::least},
                                       {"max", &Average::greatest}}) {
    table.add({heading}, [member = field](const Row& row) {
      return row.average ? Cell{"", (*row.average).*member} : Cell{""};
    });
  }
  return table.take();
}

/// A figure of an operation.
struct OpFigure {
  std::string figure;
  const NamedOps* source;
  const OpRecord* row;
  Measured<Estimate> value;
};

Measured<Estimate> rate(double flop, const Measured<Estimate>& time) {
  if (time.has_value() && flop <= 0) return missing("the operation only moves data");
  return time.then([&](const Estimate& seconds) { return compute_rate(flop, seconds); });
}

/// What sets the rows of one operation and size apart.
RowIdentity make_modes(const OpRecord& row) { return make_identity(row).without({"op", "sizes", "device"}); }

}  // namespace

Table comparison_figures(const Comparison& comparison) {
  FigureRows rows{RowNames(make_identities(comparison.candidates))};
  for (const CandidateRow& row : make_rows(comparison.candidates)) {
    rows.add_case("epoch_seconds", row, row.figures->seconds);
    const Measured<Estimate>& joules = row.figures->epoch_joules;
    if (joules.has_value()) rows.add_case("epoch_joules", row, joules);
  }
  for (const Candidate& candidate : comparison.candidates) {
    for (const ScalingRow& row : candidate.scaling) rows.add_scaling(candidate, row);
  }
  const std::pair<const char*, PairRatio> kinds[] = {
      {"speed_ratio", kSpeed}, {"energy_ratio", kEnergy}, {"energy_delay_ratio", kEnergyDelay}};
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    for (const auto& [figure, kind] : kinds) {
      const std::vector<RowRatio> ratios = row_ratios(versus, kind);
      rows.add_ratios(figure, ratios, false);
      // An average over no case tells whoever reads it that the two were held against each other.
      if (ratios.empty())
        rows.rows.push_back({.figure = figure,
                             .scope = "all",
                             .candidate = versus.other,
                             .against = versus.base,
                             .cases = 0});
    }
  }
  rows.add_ratios("gpu_benefit", gpu_benefits(comparison), false);
  rows.add_ratios("precision_gain", precision_gains(comparison), true);
  return make_table(rows.rows);
}

Table ops_figures(std::span<const NamedOps> tables) {
  using Row = OpFigure;
  std::vector<Row> rows;
  std::vector<RowIdentity> manners;
  for (const NamedOps& source : tables) {
    for (const OpRecord& row : source.ops.rows) {
      const Measured<Estimate> time = usable_time(row);
      rows.push_back({"call_seconds", &source, &row, time});
      rows.push_back({"flops_per_second", &source, &row, rate(row.flop, time)});
      manners.push_back(make_modes(row));
    }
  }
  const RowNames names(manners);
  Columns<Row> table(rows);
  table.add({"figure"}, [](const Row& row) { return row.figure; });
  table.add({"file"}, [](const Row& row) { return row.source->name; });
  table.add({"host"}, [](const Row& row) { return row.source->ops.environment.host; });
  table.add({"device"}, [](const Row& row) { return row.row->device; });
  table.add({"publication"},
            [](const Row& row) { return row.source->ops.published ? row.source->ops.published->title : ""; });
  for (const char* key : {"op", "sizes", "type", "direction", "cache"})
    table.add({key}, [&](const Row& row) { return make_identity(*row.row).at(key); });
  table.add({"variant"}, [&](const Row& row) { return names.of(make_modes(*row.row)); });
  table.add({"status"}, [](const Row& row) { return to_string(row.row->status); });
  table.add({"status_message"}, [](const Row& row) { return row.row->status_reason; });
  table.add_estimate({"value", "low", "high"}, [](const Row& row) { return row.value; });
  return table.take();
}

}  // namespace gpubench
