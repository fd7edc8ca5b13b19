#include "compare/ops_duel_tables.h"

#include <algorithm>

#include "compare/field_words.h"
#include "compare/record_table.h"
#include "compare/words.h"
#include "report/table_notes.h"

namespace gpubench {
namespace {

std::vector<Cell> cells_of_work(const OpRecord& row) {
  return {{one_line(row.op)},
          {one_line(row.sizes)},
          {to_string(row.type)},
          {to_string(row.direction)},
          {to_string(row.cache)}};
}

const std::vector<Column>& columns_of_work() {
  static const std::vector<Column> columns = {{"operation"}, {"sizes"}, {"type"}, {"direction"}, {"cache"}};
  return columns;
}

Cell time_cell(double seconds) { return {prefixed_text(seconds, "s"), seconds}; }

/// That it has no interval is said once below the table.
Cell quiet_ratio_cell(Table& table, const Reading<Estimate>& ratio) {
  Cell cell = ratio_cell(ratio);
  const bool is_said = std::find(table.notes.begin(), table.notes.end(), cell.note) != table.notes.end();
  if (!cell.note.empty() && !is_said) table.notes.push_back(cell.note);
  cell.note.clear();
  return cell;
}

Cell speed_up_cell(double ratio) { return {speed_up_text(ratio), 100 * (ratio - 1)}; }

void add_averages(Table& table, const OpsAverage& average) {
  table.rows.push_back({{average.op.empty() ? "all" : one_line(average.op)},
                        {std::to_string(average.pairs), static_cast<double>(average.pairs)},
                        quiet_ratio_cell(table, average.ratio),
                        {interval_text(average.ratio.interval)},
                        speed_up_cell(average.ratio.value),
                        speed_up_cell(average.ratio_of_means)});
}

}  // namespace

Table op_average_table(const OpsDuel& duel) {
  Table table{
      "",
      {{"operation"},
       {"rows", "", true},
       {"times as fast", "x", true},
       {"interval"},
       {"speed-up", "", true},
       {"as published", "", true}},
      {},
      {"times as fast: geometric mean of the rows' ratios, so that each row counts alike",
       "speed-up: (ratio - 1) x 100",
       "as published: the speed-up of the arithmetic means of the times, in which long rows count most"}};
  for (const OpsAverage& average : averages_of(duel)) add_averages(table, average);
  // Of published times none has an interval.
  fold_constants(table);
  return table;
}

Chart op_average_chart(const OpsDuel& duel) {
  Chart chart{
      "Times as fast", ChartKind::kBars, {"operation"}, {"times as fast", "x", true}, {{"", {}}}, 1.0};
  for (const OpsAverage& average : averages_of(duel)) {
    Point point{static_cast<double>(chart.x.categories.size()), average.ratio.value};
    const Reading<Interval>& interval = average.ratio.interval;
    if (interval.has_value()) {
      point.low = interval.value().low;
      point.high = interval.value().high;
    }
    chart.x.categories.push_back(average.op.empty() ? "all" : one_line(average.op));
    chart.series.front().points.push_back(point);
  }
  chart.series.front().name = "geometric mean";
  return chart;
}

Table op_pair_table(const OpsContest& contest, const OpsDuel& duel) {
  Table table{"", columns_of_work(), {}, {}};
  for (const Column& column : std::vector<Column>{{contest.base_of(duel).label, "", true},
                                                  {contest.other_of(duel).label, "", true},
                                                  {"times as fast", "x", true},
                                                  {"interval"},
                                                  {"speed-up", "", true}}) {
    table.columns.push_back(column);
  }
  for (const OpPair& pair : duel.pairs) {
    if (!pair.ratio.has_value()) continue;
    std::vector<Cell> row = cells_of_work(pair.any());
    row.insert(row.end(), {time_cell(pair.base_time.value().value),
                           time_cell(pair.other_time.value().value),
                           quiet_ratio_cell(table, pair.ratio),
                           {interval_text(pair.ratio.value().interval)},
                           speed_up_cell(pair.ratio.value().value)});
    table.rows.push_back(std::move(row));
  }
  fold_constants(table);
  return table;
}

Table op_unpaired_table(const OpsContest& contest, const OpsDuel& duel) {
  Table table{"", columns_of_work(), {}, {}};
  table.columns.push_back({"why"});
  for (const OpPair& pair : duel.pairs) {
    if (pair.ratio.has_value()) continue;
    std::vector<Cell> row = cells_of_work(pair.any());
    std::string why = pair.ratio.reason();
    if (pair.base == nullptr) why = contest.base_of(duel).label + " does not have it";
    if (pair.other == nullptr) why = contest.other_of(duel).label + " does not have it";
    row.push_back({one_line(why)});
    table.rows.push_back(std::move(row));
  }
  fold_constants(table);
  return table;
}

}  // namespace gpubench
