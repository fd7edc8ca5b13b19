#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "compare/field_words.h"
#include "compare/op_names.h"
#include "compare/ops_sections.h"
#include "compare/record_table.h"
#include "report/figure_text.h"
#include "report/table_notes.h"

namespace gpubench {
namespace {

using Rows = std::vector<OpRecord>;

Cell text_cell(const std::string& text) { return {one_line(text)}; }

Cell no_figure(const std::string& why) { return {"-", {}, why, Tone::kMuted}; }

Cell rate_cell(const Reading<double>& rate, const std::string& unit) {
  if (!rate.has_value()) return no_figure(rate.reason());
  return {prefixed_text(rate.value(), unit), rate.value()};
}

/// Above 1 is of a cache, or the peak is too low: worth a look either way.
Cell share_cell(const Reading<double>& share) {
  if (!share.has_value()) return no_figure(share.reason());
  Cell cell{percent_text(share.value()), share.value()};
  if (share.value() <= 1) return cell;
  cell.note = "above the device's best: what a cache holds is not read from memory";
  cell.tone = Tone::kMuted;
  return cell;
}

Cell time_cell(const OpRecord& row) {
  const Reading<Estimate> time = usable_time(row);
  if (!time.has_value()) return no_figure(time.reason());
  Cell cell{prefixed_text(time.value().value, "s"), time.value().value};
  if (!row.warnings.empty()) cell.tone = Tone::kWarning;
  return cell;
}

Cell halfwidth_cell(const OpRecord& row) {
  const Reading<Estimate> time = usable_time(row);
  if (!time.has_value()) return no_figure(time.reason());
  const Reading<Interval>& interval = time.value().interval;
  if (!interval.has_value()) return no_figure(interval.reason());
  const double part = (interval.value().high - interval.value().low) / 2 / time.value().value;
  return {percent_text(part), part};
}

Cell bound_cell(const OpRecord& row) {
  const Reading<std::string> held = bound(row);
  return held.has_value() ? text_cell(held.value()) : no_figure(held.reason());
}

Cell launch_cell(const OpRecord& row) {
  const Reading<Seconds> cost = launch_cost(row);
  if (!cost.has_value()) return no_figure(cost.reason());
  return {prefixed_text(cost.value().value, "s"), cost.value().value};
}

Cell error_cell(const OpRecord& row) {
  if (!row.error.has_value() || !std::isfinite(row.error.value())) return no_figure(row.error.reason());
  return {fmt::format("{:.1e}", row.error.value()), row.error.value()};
}

struct RowColumn {
  Column column;
  std::function<Cell(const OpRecord&)> cell;
};

std::vector<RowColumn> row_columns() {
  return {
      {{"operation"}, [](const OpRecord& row) { return text_cell(row.op); }},
      {{"sizes"}, [](const OpRecord& row) { return text_cell(row.sizes); }},
      {{"type"}, [](const OpRecord& row) { return text_cell(to_string(row.type)); }},
      {{"direction"}, [](const OpRecord& row) { return text_cell(to_string(row.direction)); }},
      {{"cache"}, [](const OpRecord& row) { return text_cell(to_string(row.cache)); }},
      {{"device"}, [](const OpRecord& row) { return text_cell(row.device); }},
      {{"status"}, status_cell},
      {{"median", "", true}, time_cell},
      {{"±", "", true}, halfwidth_cell},
      {{"FLOP/s", "", true}, [](const OpRecord& row) { return rate_cell(flops_per_second(row), "FLOP/s"); }},
      {{"of peak", "", true}, [](const OpRecord& row) { return share_cell(flops_share(row)); }},
      {{"memory", "", true}, [](const OpRecord& row) { return rate_cell(bytes_per_second(row), "B/s"); }},
      {{"of bandwidth", "", true}, [](const OpRecord& row) { return share_cell(bandwidth_share(row)); }},
      {{"bound by"}, bound_cell},
      {{"launch", "", true}, launch_cell},
      {{"error", "", true}, error_cell},
  };
}

/// Why a row that did not end well has no figure is said in its status.
void add_column(Table& table, Absences& absences, const RowColumn& column, const Rows& rows) {
  std::vector<Cell> cells;
  for (const OpRecord& row : rows) cells.push_back(column.cell(row));
  const auto is_none = [](const Cell& cell) { return cell.text == "-"; };
  if (std::all_of(cells.begin(), cells.end(), is_none)) {
    const auto good = std::find_if(rows.begin(), rows.end(),
                                   [](const OpRecord& row) { return row.status == OpStatus::kOk; });
    const auto spokesman =
        static_cast<std::size_t>((good == rows.end() ? rows.begin() : good) - rows.begin());
    absences.add(column.column.heading, cells[spokesman].note);
    return;
  }
  table.columns.push_back(column.column);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (is_none(cells[i]) && rows[i].status != OpStatus::kOk) cells[i].note.clear();
    table.rows[i].push_back(std::move(cells[i]));
  }
}

std::vector<std::string> warnings_of(const Rows& rows) {
  const OpNames names(rows);
  std::vector<WarningGroup> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Warning& warning : rows[i].warnings) add_warning(warning, i, groups);
  }
  std::vector<std::string> notes;
  for (const auto& [worst, who] : groups) {
    const std::string others = who.size() == 1 ? "" : fmt::format(" and {} more", who.size() - 1);
    const std::string first = names.whole(rows[who.front()]);
    notes.push_back(fmt::format("warning: {} ({}{})", one_line(worst.text), first, others));
  }
  return notes;
}

}  // namespace

Cell status_cell(const OpRecord& row) {
  if (row.status == OpStatus::kOk) {
    if (!is_slow(row)) return {"ok", {}, one_line(row.status_message), Tone::kGood};
    return {"slow", {}, "reaches less than 1 % of what its bound allows", Tone::kWarning};
  }
  const bool is_bad = row.status == OpStatus::kWrong || row.status == OpStatus::kError;
  return {row.status == OpStatus::kFellBack ? "fell back" : to_string(row.status),
          {},
          one_line(row.status_message),
          is_bad ? Tone::kBad : Tone::kWarning};
}

Table op_rows_table(const Rows& rows) {
  Table table{"", {}, {}, {}};
  table.rows.resize(rows.size());
  Absences absences;
  for (const RowColumn& column : row_columns()) add_column(table, absences, column, rows);
  table.notes = absences.notes();
  fold_constants(table);
  for (std::string& note : warnings_of(rows)) table.notes.push_back(std::move(note));
  return table;
}

}  // namespace gpubench
