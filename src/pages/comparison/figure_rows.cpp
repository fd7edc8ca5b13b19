// All figures of a comparison, a row each, averages included: what other programs draw.

#include <algorithm>

#include "compare/row_names.h"
#include "pages/columns.h"
#include "pages/comparison/comparison_page.h"

namespace gpubench {
namespace {

/// A row before it is cells.
struct FigureRow {
  std::string figure;
  std::string scope;  ///< "case", "model", "all".
  const Contender* contender = nullptr;
  const Contender* against = nullptr;   ///< Null for a figure that is no ratio.
  const RowFigures* figures = nullptr;  ///< Of one case; null for averages.
  std::string model = {};
  std::string variant = {};
  std::string precision = {};
  Reading<Estimate> value = {};
  std::size_t cases = 1;
  std::optional<Average> average = {};  ///< Of several cases.
};

/// Ratios that are averaged together: of one contender to another one, or to itself.
struct Group {
  std::string precision;  ///< In which all are, where the figure is about that; else empty.
  std::vector<RowRatio> ratios;
};

std::vector<Group> groups_of(const std::vector<RowRatio>& ratios, bool is_of_precision) {
  std::vector<Group> groups;
  for (const RowRatio& ratio : ratios) {
    const std::string precision = is_of_precision ? ratio.other_row->identity.at("precision") : "";
    auto group = std::ranges::find_if(groups, [&](const Group& known) {
      const RowRatio& first = known.ratios.front();
      return first.base == ratio.base && first.other == ratio.other && known.precision == precision;
    });
    if (group == groups.end()) group = groups.insert(group, {precision, {}});
    group->ratios.push_back(ratio);
  }
  return groups;
}

class FigureRows {
 public:
  explicit FigureRows(const Comparison& comparison) : names_(identities_of(comparison.contenders)) {}

  void add_case(const Contender& contender, const RowFigures& figures) {
    FigureRow row{"epoch_seconds", "case", &contender, nullptr, &figures, figures.identity.subject()};
    row.variant = variant_of(figures.identity, true);
    row.precision = figures.identity.at("precision");
    row.value = figures.seconds;
    rows_.push_back(row);
    if (!figures.epoch_joules.has_value()) return;
    row.figure = "epoch_joules";
    row.value = figures.epoch_joules;
    rows_.push_back(row);
  }

  /// An average over no case, so that whoever reads it knows the two were held against each other.
  void add_nothing(const std::string& figure, const Contender& contender, const Contender& against) {
    FigureRow row{figure, "all", &contender, &against};
    row.cases = 0;
    rows_.push_back(std::move(row));
  }

  /// Case by case, then averages by model and over all.
  void add_ratios(const std::string& figure, const std::vector<RowRatio>& ratios, bool is_of_precision) {
    for (const Group& group : groups_of(ratios, is_of_precision)) add_group(figure, group);
  }

  const std::vector<FigureRow>& rows() const { return rows_; }

 private:
  void add_group(const std::string& figure, const Group& group) {
    using Work = std::pair<std::string, std::string>;  // Model and variant.
    std::vector<std::pair<Work, std::vector<Estimate>>> works;
    std::vector<Estimate> all;
    const RowRatio& first = group.ratios.front();
    for (const RowRatio& ratio : group.ratios) {
      const RowFigures& figures = *ratio.other_row;
      const Work work{figures.identity.subject(), variant_of(figures.identity, group.precision.empty())};
      rows_.push_back({figure, "case", first.other, first.base, &figures, work.first, work.second,
                       figures.identity.at("precision"), ratio.ratio});
      auto known = std::ranges::find_if(works, [&](const auto& other) { return other.first == work; });
      if (known == works.end()) known = works.insert(known, {work, {}});
      known->second.push_back(ratio.ratio);
      all.push_back(ratio.ratio);
    }
    works.push_back({{}, std::move(all)});
    for (const auto& entry : works) {
      const Average average = average_of(entry.second);
      const auto& [model, variant] = entry.first;
      rows_.push_back({figure, &entry == &works.back() ? "all" : "model", first.other, first.base, nullptr,
                       model, variant, group.precision, average.geometric_mean, average.count, average});
    }
  }

  /// What tells a case of its model apart besides the batch size, and the precision where that is the
  /// figure's.
  std::string variant_of(const RowIdentity& identity, bool tells_precision) const {
    const RowIdentity manner = identity.without({"model", "device", "batch"});
    return names_.of(tells_precision ? manner : manner.without({"precision"}));
  }

  RowNames names_;
  std::vector<FigureRow> rows_;
};

/// What is told of a single case.
template <class CellOf>
void add_of_case(Columns<FigureRow>& table, const char* heading, CellOf cell_of) {
  table.add({heading}, [&](const FigureRow& row) {
    return row.figures == nullptr ? Cell{""} : Cell{cell_of(*row.figures)};
  });
}

Table table_of(const std::vector<FigureRow>& rows) {
  using Row = FigureRow;
  Columns<Row> table(rows);
  table.add({"figure"}, [](const Row& row) { return row.figure; });
  table.add({"scope"}, [](const Row& row) { return row.scope; });
  table.add({"contender"}, [](const Row& row) { return row.contender->label; });
  table.add({"file"}, [](const Row& row) { return row.contender->file; });
  table.add({"host"}, [](const Row& row) { return row.contender->host; });
  table.add({"device"}, [](const Row& row) { return row.contender->device.name; });
  table.add({"publication"}, [](const Row& row) { return row.contender->publication; });
  table.add({"against"}, [](const Row& row) { return row.against == nullptr ? "" : row.against->label; });
  table.add({"model"}, [](const Row& row) { return row.model; });
  table.add({"variant"}, [](const Row& row) { return row.variant; });
  add_of_case(table, "sizes", [](const RowFigures& figures) { return figures.identity.at("sizes"); });
  add_of_case(table, "dataset", [](const RowFigures& figures) { return figures.identity.at("dataset"); });
  add_of_case(table, "batch", [](const RowFigures& figures) {
    return Cell{"", static_cast<double>(figures.identity.number("batch"))};
  });
  table.add({"precision"}, [](const Row& row) { return row.precision; });
  add_of_case(table, "status", [](const RowFigures& figures) { return figures.status; });
  add_of_case(table, "status_message", [](const RowFigures& figures) { return figures.status_reason; });
  table.add({"cases"}, [](const Row& row) { return Cell{"", static_cast<double>(row.cases)}; });
  table.add_estimate({"value", "low", "high"}, [](const Row& row) { return row.value; });
  for (const auto& [heading, member] : {std::pair{"mean", &Average::arithmetic_mean},
                                        {"min", &Average::least},
                                        {"max", &Average::greatest}}) {
    table.add({heading}, [member = member](const Row& row) {
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
  Reading<Estimate> value;
};

Reading<Estimate> rate(double flop, const Reading<Estimate>& time) {
  if (!time.has_value()) return time;
  if (flop <= 0) return absent("the operation only moves data");
  return ratio_of({flop, Interval{flop, flop}}, time.value());
}

/// What sets the rows of one operation and size apart.
RowIdentity manner_of(const OpRecord& row) { return identity_of(row).without({"op", "sizes", "device"}); }

}  // namespace

Table comparison_figures(const Comparison& comparison) {
  FigureRows rows(comparison);
  for (const ContenderRow& row : rows_of(comparison.contenders)) rows.add_case(*row.contender, *row.figures);
  const std::pair<const char*, PairRatio> kinds[] = {
      {"speed_ratio", speed_ratio}, {"energy_ratio", energy_ratio}, {"efficiency_ratio", efficiency_ratio}};
  for (const Duel& duel : comparison.duels) {
    for (const auto& [figure, ratio_of] : kinds) {
      const std::vector<RowRatio> ratios = row_ratios(duel, ratio_of);
      rows.add_ratios(figure, ratios, false);
      if (ratios.empty()) rows.add_nothing(figure, *duel.other, *duel.base);
    }
  }
  rows.add_ratios("gpu_benefit", gpu_benefits(comparison), false);
  rows.add_ratios("precision_gain", precision_gains(comparison), true);
  return table_of(rows.rows());
}

Table ops_figures(std::span<const NamedOps> tables) {
  using Row = OpFigure;
  std::vector<Row> rows;
  std::vector<RowIdentity> manners;
  for (const NamedOps& source : tables) {
    for (const OpRecord& row : source.ops.rows) {
      const Reading<Estimate> time = usable_time(row);
      rows.push_back({"call_seconds", &source, &row, time});
      rows.push_back({"flops_per_second", &source, &row, rate(row.flop, time)});
      manners.push_back(manner_of(row));
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
    table.add({key}, [&](const Row& row) { return identity_of(*row.row).at(key); });
  table.add({"variant"}, [&](const Row& row) { return names.of(manner_of(*row.row)); });
  table.add({"status"}, [](const Row& row) { return to_string(row.row->status); });
  table.add({"status_message"}, [](const Row& row) { return row.row->status_reason; });
  table.add_estimate({"value", "low", "high"}, [](const Row& row) { return row.value; });
  return table.take();
}

}  // namespace gpubench
