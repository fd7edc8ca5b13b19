#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"
#include "pages/ops/op_tables.h"
#include "pages/record_table.h"
#include "pages/table_notes.h"
#include "pages/words.h"

namespace gpubench {
namespace {

constexpr std::array<std::string_view, 5> kWork = {"op", "sizes", "type", "direction", "cache"};

std::vector<Cell> cells_of_work(const Pair& pair) {
  std::vector<Cell> cells;
  for (const std::string_view key : kWork) cells.push_back({one_line(pair.any().identity.at(key))});
  return cells;
}

std::vector<Column> columns_of_work(const std::vector<Column>& figures) {
  std::vector<Column> columns = {{"operation"}, {"sizes"}, {"type"}, {"direction"}, {"cache"}};
  columns.insert(columns.end(), figures.begin(), figures.end());
  return columns;
}

Cell time_cell(const RowFigures& row) {
  const double seconds = row.seconds.value().value;
  return {prefixed_text(seconds, "s"), seconds};
}

/// That it has no interval is said once below the table.
Cell quiet_ratio_cell(Table& table, const Reading<Estimate>& ratio) {
  Cell cell = ratio_cell(ratio);
  const bool is_said = std::find(table.notes.begin(), table.notes.end(), cell.note) != table.notes.end();
  if (!cell.note.empty() && !is_said) table.notes.push_back(cell.note);
  cell.note.clear();
  return cell;
}

Cell speed_up_cell(double ratio) { return {speed_up_text(ratio), 100 * (ratio - 1)}; }

std::string name_of(const SpeedAverage& average) {
  return average.subject.empty() ? "all" : one_line(average.subject);
}

Cell value_cell(double value) { return {fmt::format("{}", value), value}; }

Cell value_cell(const Reading<Interval>& interval, double Interval::*end) {
  return interval.has_value() ? value_cell(interval.value().*end)
                              : Cell{"", {}, interval.reason(), Tone::kMuted};
}

Cell seconds_cell(const RowFigures* row) {
  if (row == nullptr) return {"", {}, "there is no such row", Tone::kMuted};
  if (!row->seconds.has_value()) return {"", {}, row->seconds.reason(), Tone::kMuted};
  return value_cell(row->seconds.value().value);
}

std::vector<Cell> ratio_cells(const Reading<Estimate>& ratio) {
  if (!ratio.has_value()) return std::vector<Cell>(4, {"", {}, ratio.reason(), Tone::kMuted});
  const Estimate& known = ratio.value();
  return {value_cell(known.value), value_cell(known.interval, &Interval::low),
          value_cell(known.interval, &Interval::high), value_cell(100 * (known.value - 1))};
}

std::vector<Cell> data_row(const Comparison& comparison, const Duel& duel, const Pair& pair) {
  const Contender& base = comparison.base_of(duel);
  const Contender& other = comparison.other_of(duel);
  std::vector<Cell> row = {{base.file}, {base.device.name}, {other.file}, {other.device.name}};
  for (const std::string_view key : kWork) row.push_back({pair.any().identity.at(key)});
  for (const RowFigures* side : {pair.base, pair.other}) row.push_back({side == nullptr ? "" : side->status});
  for (const RowFigures* side : {pair.base, pair.other}) row.push_back(seconds_cell(side));
  for (Cell& cell : ratio_cells(speed_ratio(comparison, duel, pair))) row.push_back(std::move(cell));
  return row;
}

}  // namespace

std::string speed_up_text(double ratio) {
  const double percent = 100 * (ratio - 1);
  return percent > -9.95 && percent < 9.95 ? fmt::format("{:+.1f} %", percent)
                                           : fmt::format("{:+.0f} %", percent);
}

Table op_average_table(const std::vector<SpeedAverage>& averages) {
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
  for (const SpeedAverage& average : averages) {
    table.rows.push_back({{name_of(average)},
                          {std::to_string(average.pairs), static_cast<double>(average.pairs)},
                          quiet_ratio_cell(table, average.ratio),
                          {interval_text(average.ratio.interval)},
                          speed_up_cell(average.ratio.value),
                          speed_up_cell(average.ratio_of_means)});
  }
  // Of published times none has an interval.
  fold_constants(table);
  return table;
}

Chart op_average_chart(const std::vector<SpeedAverage>& averages) {
  Chart chart{"Times as fast",
              ChartKind::kBars,
              {"operation"},
              {"times as fast", "x", true},
              {{"geometric mean", {}}},
              1.0};
  for (const SpeedAverage& average : averages) {
    const auto place = static_cast<double>(chart.x.categories.size());
    chart.series.front().points.push_back(point_of(place, average.ratio));
    chart.x.categories.push_back(name_of(average));
  }
  return chart;
}

Table op_pair_table(const Comparison& comparison, const Duel& duel) {
  Table table{"",
              columns_of_work({{comparison.base_of(duel).label, "", true},
                               {comparison.other_of(duel).label, "", true},
                               {"times as fast", "x", true},
                               {"interval"},
                               {"speed-up", "", true}}),
              {},
              {}};
  for (const Pair& pair : duel.pairs) {
    const Reading<Estimate> ratio = speed_ratio(comparison, duel, pair);
    if (!ratio.has_value()) continue;
    std::vector<Cell> row = cells_of_work(pair);
    row.insert(row.end(), {time_cell(*pair.base),
                           time_cell(*pair.other),
                           quiet_ratio_cell(table, ratio),
                           {interval_text(ratio.value().interval)},
                           speed_up_cell(ratio.value().value)});
    table.rows.push_back(std::move(row));
  }
  fold_constants(table);
  return table;
}

Table op_unpaired_table(const Comparison& comparison, const Duel& duel) {
  Table table{"", columns_of_work({{"why"}}), {}, {}};
  for (const Pair& pair : duel.pairs) {
    const Reading<Estimate> ratio = speed_ratio(comparison, duel, pair);
    if (ratio.has_value()) continue;
    std::vector<Cell> row = cells_of_work(pair);
    std::string why = ratio.reason();
    if (pair.base == nullptr) why = comparison.base_of(duel).label + " does not have it";
    if (pair.other == nullptr) why = comparison.other_of(duel).label + " does not have it";
    row.push_back({one_line(why)});
    table.rows.push_back(std::move(row));
  }
  fold_constants(table);
  return table;
}

Table ops_comparison_data(const Comparison& comparison) {
  Table table;
  for (const char* name : {"baseline", "baseline_device", "file", "device", "op", "sizes", "type",
                           "direction", "cache", "baseline_status", "status"}) {
    table.columns.push_back({name});
  }
  for (const char* name : {"baseline_call_seconds", "median_call_seconds", "ratio", "ratio_low", "ratio_high",
                           "speed_up_percent"}) {
    table.columns.push_back({name, "", true});
  }
  for (const Duel& duel : comparison.duels) {
    for (const Pair& pair : duel.pairs) table.rows.push_back(data_row(comparison, duel, pair));
  }
  return table;
}

}  // namespace gpubench
