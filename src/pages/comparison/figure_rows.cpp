// All figures of a comparison, a row each, averages included: what other programs draw.

#include <algorithm>
#include <tuple>

#include "compare/gains.h"
#include "compare/row_names.h"
#include "pages/comparison/comparison_page.h"
#include "pages/words.h"

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
  const Average* average = nullptr;  ///< Null for a case.
};

const std::vector<Column>& columns() {
  static const std::vector<Column> all = {{"figure"}, {"scope"},     {"contender"},   {"file"},
                                          {"host"},   {"device"},    {"publication"}, {"against"},
                                          {"model"},  {"variant"},   {"sizes"},       {"dataset"},
                                          {"batch"},  {"precision"}, {"status"},      {"status_message"},
                                          {"cases"},  {"value"},     {"low"},         {"high"},
                                          {"mean"},   {"min"},       {"max"}};
  return all;
}

Cell number(double value) { return {"", value}; }

std::vector<Cell> cells_of(const FigureRow& row) {
  const Contender& contender = *row.contender;
  std::vector<Cell> cells = {{row.figure},
                             {row.scope},
                             {contender.label},
                             {contender.file},
                             {contender.host},
                             {contender.device.name},
                             {contender.publication},
                             {row.against == nullptr ? "" : row.against->label},
                             {row.model},
                             {row.variant}};
  const RowFigures* figures = row.figures;
  cells.push_back({figures == nullptr ? "" : figures->identity.at("sizes")});
  cells.push_back({figures == nullptr ? "" : figures->identity.at("dataset")});
  cells.push_back(figures == nullptr ? Cell{""}
                                     : number(static_cast<double>(figures->identity.number("batch"))));
  cells.push_back({row.precision});
  cells.push_back({figures == nullptr ? "" : figures->status});
  cells.push_back({figures == nullptr ? "" : figures->status_reason});
  cells.push_back(number(static_cast<double>(row.cases)));
  for (Cell& cell : estimate_cells(row.value)) cells.push_back(std::move(cell));
  for (const auto figure : {&Average::arithmetic_mean, &Average::least, &Average::greatest}) {
    cells.push_back(row.average == nullptr ? Cell{""} : number(row.average->*figure));
  }
  return cells;
}

/// Ratios that are averaged together: of one contender to another one, or to itself.
struct Group {
  std::string precision;  ///< In which all are, where the figure is about that; else empty.
  std::vector<RowRatio> ratios;
};

std::vector<RowRatio> ratios_of(const Comparison& comparison, const Duel& duel, PairRatio ratio_of) {
  std::vector<RowRatio> ratios;
  for (const Pair& pair : duel.pairs) {
    const Reading<Estimate> ratio = ratio_of(comparison, duel, pair);
    if (!ratio.has_value()) continue;
    ratios.push_back(
        {&comparison.base_of(duel), &comparison.other_of(duel), pair.base, pair.other, ratio.value()});
  }
  return ratios;
}

std::vector<Group> groups_of(const std::vector<RowRatio>& ratios, bool is_of_precision) {
  std::vector<Group> groups;
  for (const RowRatio& ratio : ratios) {
    const std::string precision = is_of_precision ? ratio.other_row->identity.at("precision") : "";
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& known) {
      const RowRatio& first = known.ratios.front();
      return first.base == ratio.base && first.other == ratio.other && known.precision == precision;
    });
    if (group == groups.end()) group = groups.insert(group, {precision, {}});
    group->ratios.push_back(ratio);
  }
  return groups;
}

class FigureTable {
 public:
  explicit FigureTable(const Comparison& comparison) : names_(identities_of(comparison.contenders)) {}

  void add_cases(const Contender& contender);

  /// An average over no case, so that whoever reads it knows the two were held against each other.
  void add_nothing(const std::string& figure, const Contender& contender, const Contender& against) {
    FigureRow row{figure, "all", &contender, &against};
    row.cases = 0;
    add(row);
  }

  /// Case by case, then averages by model and over all.
  void add_ratios(const std::string& figure, const std::vector<RowRatio>& ratios, bool is_of_precision);

  Table take() { return std::move(table_); }

 private:
  void add_group(const std::string& figure, const Group& group);
  void add(const FigureRow& row) { table_.rows.push_back(cells_of(row)); }

  /// What tells a case of its model apart besides the batch size, and the precision where that is the
  /// figure's.
  std::string variant_of(const RowIdentity& identity, bool tells_precision) const;

  RowNames names_;
  Table table_{"", columns(), {}};
};

std::string FigureTable::variant_of(const RowIdentity& identity, bool tells_precision) const {
  const RowIdentity manner = identity.without({"model", "device", "batch"});
  return names_.of(tells_precision ? manner : manner.without({"precision"}));
}

void FigureTable::add_cases(const Contender& contender) {
  for (const RowFigures& figures : contender.rows) {
    FigureRow row{"epoch_seconds", "case", &contender, nullptr, &figures, figures.identity.subject()};
    row.variant = variant_of(figures.identity, true);
    row.precision = figures.identity.at("precision");
    row.value = figures.seconds;
    add(row);
    if (!figures.epoch_joules.has_value()) continue;
    row.figure = "epoch_joules";
    row.value = figures.epoch_joules;
    add(row);
  }
}

void FigureTable::add_ratios(const std::string& figure, const std::vector<RowRatio>& ratios,
                             bool is_of_precision) {
  for (const Group& group : groups_of(ratios, is_of_precision)) add_group(figure, group);
}

void FigureTable::add_group(const std::string& figure, const Group& group) {
  using Work = std::pair<std::string, std::string>;  // Model and variant.
  std::vector<std::pair<Work, std::vector<Estimate>>> works;
  std::vector<Estimate> all;
  const RowRatio& first = group.ratios.front();
  for (const RowRatio& ratio : group.ratios) {
    const RowFigures& figures = *ratio.other_row;
    const Work work{figures.identity.subject(), variant_of(figures.identity, group.precision.empty())};
    add({figure, "case", first.other, first.base, &figures, work.first, work.second,
         figures.identity.at("precision"), ratio.ratio});
    auto known =
        std::find_if(works.begin(), works.end(), [&](const auto& other) { return other.first == work; });
    if (known == works.end()) known = works.insert(known, {work, {}});
    known->second.push_back(ratio.ratio);
    all.push_back(ratio.ratio);
  }
  FigureRow row{figure, "model", first.other, first.base};
  row.precision = group.precision;
  const auto add_average = [&](const std::vector<Estimate>& ratios) {
    const Average average = average_of(ratios);
    row.average = &average;
    row.cases = average.count;
    row.value = average.geometric_mean;
    add(row);
  };
  for (const auto& [work, ratios] : works) {
    std::tie(row.model, row.variant) = work;
    add_average(ratios);
  }
  row.scope = "all";
  row.model = row.variant = "";
  add_average(all);
}

}  // namespace

Table comparison_figures(const Comparison& comparison) {
  FigureTable table(comparison);
  for (const Contender& contender : comparison.contenders) table.add_cases(contender);
  const std::pair<const char*, PairRatio> kinds[] = {
      {"speed_ratio", speed_ratio}, {"energy_ratio", energy_ratio}, {"efficiency_ratio", efficiency_ratio}};
  for (const Duel& duel : comparison.duels) {
    for (const auto& [figure, ratio_of] : kinds) {
      const std::vector<RowRatio> ratios = ratios_of(comparison, duel, ratio_of);
      table.add_ratios(figure, ratios, false);
      if (ratios.empty()) table.add_nothing(figure, comparison.other_of(duel), comparison.base_of(duel));
    }
  }
  table.add_ratios("gpu_benefit", gpu_benefits(comparison), false);
  table.add_ratios("precision_gain", precision_gains(comparison), true);
  return table.take();
}

}  // namespace gpubench
