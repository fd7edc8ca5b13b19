#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/text_table.h"
#include "gpubench/record/derived.h"
#include "pages/energy_table.h"
#include "pages/record_table.h"
#include "pages/run_page.h"
#include "pages/run_sections.h"

namespace gpubench {
namespace {

Tone find_tone(RowStatus status) {
  constexpr std::array kNotRun = {RowStatus::kSkipped, RowStatus::kInterrupted, RowStatus::kUnsupported};
  if (status == RowStatus::kOk) return Tone::kGood;
  return std::ranges::find(kNotRun, status) == kNotRun.end() ? Tone::kBad : Tone::kWarning;
}

std::size_t column_called(const Table& table, const std::string& heading) {
  const auto found = std::ranges::find(table.columns, heading, &Column::heading);
  return static_cast<std::size_t>(found - table.columns.begin());
}

std::size_t count_of_good(const CaseSummary& row) { return row.is_ok() ? row.told.size() : 0; }

/// "ok", "oom", and of several repetitions that did not all end well "4 of 5 ok, 1 oom".
std::string outcome_text(const CaseSummary& row) {
  const std::size_t good = count_of_good(row);
  if (row.all.size() == 1 || good == row.all.size()) return to_string(row.all.front()->status);
  std::string text = fmt::format("{} of {} ok", good, row.all.size());
  for (const auto& [status, records] : grouped(row.all, &CaseRecord::status)) {
    if (status != RowStatus::kOk) text += fmt::format(", {} {}", records.size(), to_string(status));
  }
  return text;
}

void say_how_it_ended(Cell& cell, const CaseSummary& row) {
  std::vector<std::string> reasons;
  for (const CaseRecord* c : row.all) {
    if (c->status != RowStatus::kOk) add_once(reasons, reason_text(*c));
  }
  cell.text = outcome_text(row);
  cell.tone = row.is_ok() && !reasons.empty() ? Tone::kWarning : find_tone(row.told.front()->status);
  cell.note = join(reasons, "; ");
}

void say_whether_steady(Cell& cell, const CaseSummary& row) {
  std::vector<double> slopes;
  for (const CaseRecord* c : row.told) {
    const Measured<bool> steady = is_steady(*c);
    if (c->status == RowStatus::kOk && steady.has_value() && !steady.value())
      slopes.push_back(epoch_slope(*c).value());
  }
  if (slopes.empty()) return;
  const std::string which =
      row.told.size() == 1 ? "" : fmt::format(" in {} of {} processes", slopes.size(), row.told.size());
  cell.tone = Tone::kWarning;
  cell.note =
      fmt::format("times were still changing{}, by {} an epoch", which,
                  percent_text(*std::ranges::max_element(slopes, {}, [](double x) { return std::abs(x); })));
}

void say_what_is_unknown(Cell& cell, const CaseSummary& row) {
  if (row.is_ok() && !row.between_runs.has_value()) cell = {"unknown", {}, "", Tone::kMuted};
}

/// Sizes are long: the table has those that differ, and the others are said once.
void shorten_sizes(Table& table, const std::vector<CaseSummary>& rows) {
  const std::size_t column = column_called(table, "sizes");
  if (column == table.columns.size()) return;
  const auto cases = mapped(rows, [](const CaseSummary& row) { return make_identity(*row.all.front()); });
  const RowNames names(cases);
  std::set<std::string> notes;
  bool is_needed = false;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string common = names.common_sizes(cases[i]);
    table.rows[i][column].text = one_line(names.told_sizes(cases[i]));
    is_needed = is_needed || !table.rows[i][column].text.empty();
    if (!common.empty()) notes.insert(one_line("all rows of " + cases[i].subject() + ": " + common));
  }
  if (!is_needed) remove_column(table, column);
  table.notes.insert(table.notes.begin(), notes.begin(), notes.end());
}

using Fields = std::vector<Field<CaseSummary>>;

bool is_of_energy(const FieldFacts& field) { return field.unit == "J" || field.unit == "W"; }

/// Whether the field is a figure of some models alone, such as perplexity.
bool is_of_some(const Field<CaseSummary>& field) {
  return field.shown == Shown::kInTableWhereUnusual && !is_of_energy(field) &&
         field.key != "sustained_share" && std::holds_alternative<Missing>(field.get(CaseSummary{}));
}

/// What a case is, and the figures of some.
Fields fields_of_some() {
  Fields fields;
  bool is_before_status = true;
  for (const Field<CaseSummary>& field : case_row_fields()) {
    is_before_status = is_before_status && field.key != "status";
    if (is_before_status || is_of_some(field)) fields.push_back(field);
  }
  return fields;
}

Table make_table(std::string title, const Fields& fields, const std::vector<CaseSummary>& rows) {
  // Why failed ones lack something is said in their row.
  const auto good = std::ranges::find_if(rows, &CaseSummary::is_ok);
  Table table = record_table(std::move(title), fields, rows, good == rows.end() ? rows.front() : *good);
  shorten_sizes(table, rows);
  return table;
}

bool has_figure_of_some(const CaseSummary& row) {
  return std::ranges::any_of(case_row_fields(), [&](const Field<CaseSummary>& field) {
    return is_of_some(field) && !std::holds_alternative<Missing>(field.get(row));
  });
}

/// Has something said in the cells of that column, where the table has it.
template <class Say>
void in_column(Table& table, const std::string& heading, const std::vector<CaseSummary>& rows, Say say) {
  const std::size_t column = column_called(table, heading);
  if (column == table.columns.size()) return;
  for (std::size_t i = 0; i < rows.size(); ++i) say(table.rows[i][column], rows[i]);
}

/// Processes that have several epochs after the warm-up.
std::vector<const CaseRecord*> list_processes(const RunRecord& run) {
  std::vector<const CaseRecord*> processes;
  for (const CaseRecord& c : run.cases) {
    if (c.status == RowStatus::kOk && steady_epochs(c).size() > 1) processes.push_back(&c);
  }
  return processes;
}

Cell part_cell(const Measured<double>& part) {
  return part.has_value() ? Cell{percent_text(part.value()), part.value()} : no_figure(part.reason());
}

Cell seconds_cell(const Measured<double>& seconds) {
  return seconds.has_value() ? duration_cell(seconds.value()) : no_figure(seconds.reason());
}

/// How times vary within each process; without rows for what was published.
Table processes_table(const RunRecord& run) {
  const std::vector<const CaseRecord*> processes =
      run.published ? std::vector<const CaseRecord*>() : list_processes(run);
  const CaseNames names(run.cases);
  Columns<const CaseRecord*> table(processes);
  const auto add_seconds = [&](const char* heading, double Summary::*figure) {
    table.add({heading, "", true},
              [=](const CaseRecord* c) { return duration_cell(epoch_summary(*c).value().*figure); });
  };
  const auto add_steps = [&](const char* heading, double part) {
    table.add_known(
        {heading, "", true}, [=](const CaseRecord* c) { return seconds_cell(step_quantile(*c, part)); },
        processes.empty() ? "" : step_quantile(*processes.front(), part).reason());
  };
  table.add({"case"}, [&](const CaseRecord* c) { return names.one(*c); });
  table.add({"epochs", "", true}, [](const CaseRecord* c) { return count_cell(steady_epochs(*c).size()); });
  add_seconds("shortest", &Summary::min);
  add_seconds("median", &Summary::median);
  add_seconds("longest", &Summary::max);
  table.add({"sd", "", true}, [](const CaseRecord* c) { return part_cell(epoch_cv(*c)); });
  add_steps("step p50", 0.5);
  add_steps("step p99", 0.99);
  return table.take("Within each process", table.absences());
}

std::vector<std::string> list_names(const std::vector<NamedValues>& figures) {
  std::vector<std::string> names;
  for (const NamedValues& values : figures) {
    for (const auto& [name, value] : values) add_once(names, name);
  }
  return names;
}

/// "power_watts" as power in watts.
Column find_column(const std::string& figure) {
  const std::size_t split = figure.rfind('_');
  std::string words = figure.substr(0, split);
  std::ranges::replace(words, '_', ' ');
  return {words, split == std::string::npos ? "" : figure.substr(split + 1), true};
}

/// What the publication states of the cases beyond the fields of a case; without rows where that is nothing.
Table published_table(const RunRecord& run) {
  if (!run.published) return {};
  const std::vector<std::string> figures = list_names(run.published->figures);
  if (figures.empty()) return {};
  const CaseNames names(run.cases);
  Table table{"Further figures of the publication", {{"case"}}, {}, {}};
  append(table.columns, mapped(figures, find_column));
  for (std::size_t i = 0; i < std::min(run.cases.size(), run.published->figures.size()); ++i) {
    std::vector<Cell> row{{names.one(run.cases[i])}};
    for (const std::string& figure : figures) {
      const Measured<double> value = find_value(run.published->figures[i], figure);
      row.push_back(
          field_cell(value.has_value() ? FieldValue(value.value()) : missing(value.reason()), "", 2));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Table cases_table(const RunRecord& run, SummaryPlacement summary, bool has_energy) {
  const std::vector<CaseSummary> rows = aggregate_repeats(run);
  const bool is_told =
      run.published ||
      (summary == SummaryPlacement::kSummary &&
       std::ranges::none_of(rows, [](const CaseSummary& row) { return row.between_runs.has_value(); }));
  Fields fields = case_row_fields();
  std::erase_if(fields, [&](const Field<CaseSummary>& field) {
    const bool is_elsewhere = !has_energy && (is_of_energy(field) || field.key == "sustained_share");
    return is_of_some(field) || is_elsewhere || (is_told && field.key == kBetweenRuns);
  });
  Table table = make_table("", fields, rows);
  in_column(table, "status", rows, say_how_it_ended);
  in_column(table, "median", rows, say_whether_steady);
  in_column(table, "± if run again", rows, say_what_is_unknown);
  return table;
}

Table table_of_some(const RunRecord& run) {
  std::vector<CaseSummary> rows = aggregate_repeats(run);
  std::erase_if(rows, [](const CaseSummary& row) { return !has_figure_of_some(row); });
  return rows.empty() ? Table{} : make_table("Figures of some models", fields_of_some(), rows);
}

void add_cases(std::vector<Section>& sections, const RunRecord& run, SummaryPlacement summary) {
  if (run.cases.empty()) return add_section(sections, "Cases", Paragraph{"The file has no case."});
  Table cases = cases_table(run, summary, false);
  if (summary == SummaryPlacement::kNothing) append(cases.notes, warning_notes(run.cases));
  append(cases.notes, method_notes(run));
  add_section(sections, "Cases", std::move(cases), table_of_some(run), processes_table(run),
              published_table(run));
}

namespace {

std::string heading_text(const Column& column) {
  return column.unit == "s" || column.unit == "J" || column.unit == "W"
             ? fmt::format("{} [{}]", column.heading, column.unit)
             : column.heading;
}

std::string cell_text(const Column& column, const Cell& cell) {
  return column.unit == "%" && cell.value ? cell.text + " %" : cell.text;
}

std::string table_text(const Table& table) {
  TextTable text;
  for (const Column& column : table.columns)
    text.add_column(heading_text(column), column.is_number ? Align::kRight : Align::kLeft);
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) cells.push_back(cell_text(table.columns[i], row[i]));
    text.add_row(std::move(cells));
  }
  return table.rows.empty() ? "" : text.to_string();
}

/// What is in brackets is why each of a dozen meters cannot be read.
std::string briefly(const std::string& reason) {
  const std::size_t details = reason.find(" (");
  if (details == std::string::npos) return reason;
  return reason.substr(0, details) + "; 'gpubench doctor --power' says why";
}

std::vector<std::string> energy_notes(const RunRecord& run) {
  std::vector<Candidate> devices = make_candidates(run, "");
  for (Candidate& device : devices) {
    device.label = device.device.name;
    for (RowFigures& row : device.rows) {
      if (!row.epoch_joules.has_value()) row.epoch_joules = missing(briefly(row.epoch_joules.reason()));
    }
  }
  return mapped(energy_absences(devices), &Paragraph::text);
}

}  // namespace

std::string run_table(const RunRecord& record) {
  if (record.cases.empty()) return "no case was measured\n";
  if (const auto part = make_beginning(record)) return run_table(*part) + left_out_text(record) + "\n";
  const Table all = cases_table(record, SummaryPlacement::kNothing);
  std::vector<std::string> notes = failure_notes(record.cases);
  append(notes, all.notes);
  append(notes, warning_notes(record.cases));
  append(notes, data_notes(record.environment.datasets));
  append(notes, energy_notes(record));
  append(notes, method_notes(record));
  const Table some = table_of_some(record);
  std::string text = table_text(all);
  if (!some.rows.empty()) text += "\n" + table_text(some);
  text += "\n" + table_text(scaling_table(record));
  if (text.ends_with("\n\n")) text.pop_back();
  for (const std::string& note : some.notes) {
    if (std::ranges::find(all.notes, note) == all.notes.end()) text += note + "\n";
  }
  return notes.empty() ? text : text + "\n" + join(notes, "\n") + "\n";
}

}  // namespace gpubench
