#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/text_table.h"
#include "gpubench/record/derived.h"
#include "pages/run_page.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

/// The median of figures, or the texts one behind the other.
FieldValue combine(const std::string& unit, const std::vector<FieldValue>& values) {
  std::vector<double> numbers;
  std::vector<std::string> texts;
  for (const FieldValue& value : values) {
    if (const double* number = std::get_if<double>(&value)) numbers.push_back(*number);
    if (const std::string* text = std::get_if<std::string>(&value)) add_once(texts, *text);
  }
  if (numbers.empty()) return texts.empty() ? values.front() : join(texts, " / ");
  // A rate is an amount by a time: the median is that of the times.
  const bool is_rate = unit.ends_with("/s") && std::ranges::min(numbers) > 0;
  if (!is_rate) return compute_median(numbers);
  return 1 / compute_median(mapped(numbers, [](double rate) { return 1 / rate; }));
}

FieldValue value_in(const Field<CaseRecord>& field, const CaseSummary& row) {
  if (row.told.empty()) return field.get(CaseRecord{});
  if (row.told.size() == 1) return field.get(*row.told.front());
  return combine(field.unit, mapped(row.told, [&](const CaseRecord* c) { return field.get(*c); }));
}

/// "memory", or "none (64 % of the time unexplained)".
FieldValue find_bottleneck(const Field<CaseRecord>& field, const CaseSummary& row) {
  FieldValue value = value_in(field, row);
  if (value != FieldValue(std::string(kNoBound))) return value;
  const double part =
      compute_median(mapped(row.told, [](const CaseRecord* c) { return unexplained_share(*c).value(); }));
  return fmt::format("{} ({:.0f} % of the time unexplained)", kNoBound, 100 * part);
}

Field<CaseSummary> field_of_rows(const Field<CaseRecord>& field) {
  const auto get = [&field](const CaseSummary& row) {
    return field.key == "bottleneck" ? find_bottleneck(field, row) : value_in(field, row);
  };
  return {field.key.c_str(), field.unit.c_str(), field.label.c_str(),
          field.shown,       field.help.c_str(), {get, {}, field.values}};
}

Measured<double> find_between_runs(const CaseSummary& row) {
  if (!row.is_ok()) return missing("the case ended as {}", to_string(row.told.front()->status));
  std::vector<double> medians;
  for (const CaseRecord* c : row.told) {
    const Measured<Summary> epochs = epoch_summary(*c);
    if (epochs.has_value()) medians.push_back(epochs.value().median);
  }
  return halfwidth_between_runs(medians);
}

std::size_t column_called(const Table& table, const std::string& heading) {
  const auto found = std::ranges::find(table.columns, heading, &Column::heading);
  return static_cast<std::size_t>(found - table.columns.begin());
}

/// "ok", "oom", and of several repetitions that did not all end well "4 of 5 ok, 1 oom".
Cell status_cell(const CaseSummary& row) {
  std::vector<std::string> reasons;
  for (const CaseRecord* c : row.all) {
    if (c->status != RowStatus::kOk) add_once(reasons, reason_text(*c));
  }
  Cell cell{to_string(row.all.front()->status), {}, join(reasons, "; "), find_tone(row.told.front()->status)};
  if (reasons.empty()) return cell;
  if (row.is_ok()) cell.tone = Tone::kWarning;
  if (row.all.size() == 1) return cell;
  cell.text = fmt::format("{} of {} ok", row.is_ok() ? row.told.size() : 0, row.all.size());
  for (const auto& [status, records] : grouped(row.all, &CaseRecord::status)) {
    if (status != RowStatus::kOk) cell.text += fmt::format(", {} {}", records.size(), to_string(status));
  }
  return cell;
}

/// Marks the time of a case whose epochs still became faster or slower.
void mark_unsteady(Cell& cell, const CaseSummary& row) {
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

/// Leaves the sizes that differ in the table, and names the others once below it.
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

/// Returns whether the field is a figure of some models alone, such as perplexity.
bool is_of_some(const Field<CaseSummary>& field) {
  return field.shown == Shown::kInTableWhereUnusual && !is_of_energy(field) &&
         field.key != "sustained_share" && std::holds_alternative<Missing>(field.get(CaseSummary{}));
}

Table make_table(std::string title, const Fields& fields, const std::vector<CaseSummary>& rows) {
  // The status of a failed row has the reason for what it lacks.
  const auto good = std::ranges::find_if(rows, &CaseSummary::is_ok);
  Table table = record_table(std::move(title), fields, rows, good == rows.end() ? rows.front() : *good);
  shorten_sizes(table, rows);
  return table;
}

/// How times vary within each process with several epochs after the warm-up.
Table processes_table(const RunRecord& run) {
  std::vector<const CaseRecord*> processes;
  for (const CaseRecord& c : run.cases) {
    if (!run.published && c.status == RowStatus::kOk && steady_epochs(c).size() > 1) processes.push_back(&c);
  }
  if (processes.empty()) return {};
  const CaseNames names(run.cases);
  Columns<const CaseRecord*> table(processes);
  const auto add_seconds = [&](const char* heading, double Summary::*figure) {
    table.number(heading, "",
                 [=](const CaseRecord* c) { return duration_cell(epoch_summary(*c).then(figure)); });
  };
  const auto add_steps = [&](const char* heading, double part) {
    table.add_known(
        {heading, "", true}, [=](const CaseRecord* c) { return duration_cell(step_quantile(*c, part)); },
        step_quantile(*processes.front(), part).reason());
  };
  table.text("case", [&](const CaseRecord* c) { return names.one(*c); });
  table.number("epochs", "", [](const CaseRecord* c) { return steady_epochs(*c).size(); });
  add_seconds("shortest", &Summary::min);
  add_seconds("median", &Summary::median);
  add_seconds("longest", &Summary::max);
  table.number("sd", "", [](const CaseRecord* c) { return percent_cell(epoch_cv(*c)); });
  add_steps("step p50", 0.5);
  add_steps("step p99", 0.99);
  return table.take("Within each process", table.absences());
}

/// The column of "power_watts": power in watts.
Column published_column(const std::string& figure) {
  const std::size_t split = figure.rfind('_');
  std::string words = figure.substr(0, split);
  std::ranges::replace(words, '_', ' ');
  return {words, split == std::string::npos ? "" : figure.substr(split + 1), true};
}

/// Figures of a publication beyond the fields of a case.
Table published_table(const RunRecord& run) {
  if (!run.published) return {};
  std::vector<std::string> figures;
  for (const NamedValues& values : run.published->figures) {
    for (const auto& [name, value] : values) add_once(figures, name);
  }
  if (figures.empty()) return {};
  const CaseNames names(run.cases);
  Table table{"Further figures of the publication", {{"case"}}, {}, {}};
  append(table.columns, mapped(figures, published_column));
  for (std::size_t i = 0; i < std::min(run.cases.size(), run.published->figures.size()); ++i) {
    std::vector<Cell> row{{names.one(run.cases[i])}};
    for (const std::string& figure : figures) {
      const Measured<double> value = find_value(run.published->figures[i], figure);
      row.push_back(field_cell(value.has_value() ? FieldValue(value.value()) : value.why(), "", 2));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// A row a case over all its repetitions, with its status coloured and the reason of what failed noted. Below
/// it the texts that all rows share and the figures that all lack. Needs a case.
Table cases_table(const RunRecord& run, bool has_summary, bool has_energy) {
  const std::vector<CaseSummary> rows = aggregate_repeats(run);
  const bool is_told =
      run.published || (has_summary && std::ranges::none_of(rows, [](const CaseSummary& row) {
                          return row.between_runs.has_value();
                        }));
  Fields fields = case_row_fields();
  std::erase_if(fields, [&](const Field<CaseSummary>& field) {
    const bool is_elsewhere = !has_energy && (is_of_energy(field) || field.key == "sustained_share");
    return is_of_some(field) || is_elsewhere || (is_told && field.key == kBetweenRuns);
  });
  Table table = make_table("", fields, rows);
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const std::string& heading = table.columns[column].heading;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Cell& cell = table.rows[i][column];
      if (heading == "status") cell = status_cell(rows[i]);
      if (heading == "median") mark_unsteady(cell, rows[i]);
      if (heading == "± if run again" && rows[i].is_ok() && !rows[i].between_runs.has_value())
        cell = {"unknown", {}, "", Tone::kMuted};
    }
  }
  return table;
}

/// Figures that some models alone have: in the table of all cases they would be columns of dashes.
Table table_of_some(const RunRecord& run) {
  Fields fields;
  Fields of_some;
  bool is_before_status = true;
  for (const Field<CaseSummary>& field : case_row_fields()) {
    is_before_status = is_before_status && field.key != "status";
    if (is_of_some(field)) of_some.push_back(field);
    if (is_before_status || is_of_some(field)) fields.push_back(field);
  }
  std::vector<CaseSummary> rows = aggregate_repeats(run);
  std::erase_if(rows, [&](const CaseSummary& row) {
    return std::ranges::all_of(of_some, [&](const Field<CaseSummary>& field) {
      return std::holds_alternative<Missing>(field.get(row));
    });
  });
  return rows.empty() ? Table{} : make_table("Figures of some models", fields, rows);
}

std::string table_text(const Table& table) {
  TextTable text;
  for (const Column& column : table.columns) {
    const bool has_unit = column.unit == "s" || column.unit == "J" || column.unit == "W";
    text.add_column(has_unit ? fmt::format("{} [{}]", column.heading, column.unit) : column.heading,
                    column.is_number ? Align::kRight : Align::kLeft);
  }
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i)
      cells.push_back(table.columns[i].unit == "%" && row[i].value ? row[i].text + " %" : row[i].text);
    text.add_row(std::move(cells));
  }
  return table.rows.empty() ? "" : text.to_string();
}

/// Why there is no energy, without the reason of each meter, which stands in brackets.
std::vector<std::string> energy_notes(const RunRecord& run) {
  std::vector<Candidate> devices = make_candidates(run, "");
  for (Candidate& device : devices) {
    device.label = device.device.name;
    for (RowFigures& row : device.rows) {
      const std::string& reason = row.epoch_joules.reason();
      const std::size_t details = reason.find(" (");
      if (details != std::string::npos)
        row.epoch_joules = missing("{}; 'gpubench doctor --power' says why", reason.substr(0, details));
    }
  }
  return mapped(energy_absences(devices), &Paragraph::text);
}

}  // namespace

std::vector<CaseSummary> aggregate_repeats(const RunRecord& run) {
  return mapped(group_repeats(make_identities(run.cases)), [&](const std::vector<std::size_t>& positions) {
    CaseSummary row;
    for (const std::size_t i : positions) row.all.push_back(&run.cases[i]);
    row.told = row.all;
    std::erase_if(row.told, [](const CaseRecord* c) { return c->status != RowStatus::kOk; });
    if (row.told.empty()) row.told = {row.all.front()};
    row.between_runs = find_between_runs(row);
    return row;
  });
}

std::vector<Field<CaseSummary>> case_row_fields() {
  const auto processes = [](const CaseSummary& row) {
    return std::max<std::int64_t>(1, std::ssize(row.all));
  };
  const auto between_runs = [](const CaseSummary& row) {
    const Measured<double>& part = row.between_runs;
    return part.has_value() ? FieldValue(part.value()) : missing(part.reason());
  };
  std::vector<Field<CaseSummary>> fields;
  for (const Field<CaseRecord>& field : case_fields()) {
    if (field.key == "repeat") {
      fields.push_back({"processes",
                        "",
                        "processes",
                        Shown::kInTableWhereUnusual,
                        "How often the case was run.",
                        {processes}});
    } else {
      fields.push_back(field_of_rows(field));
    }
    if (field.key == "median_epoch_rel_ci95") {
      fields.push_back({kBetweenRuns,
                        "fraction",
                        "± if run again",
                        Shown::kInTable,
                        "Half the 95 % interval of the median over fresh processes.",
                        {between_runs}});
    }
  }
  return fields;
}

void add_cases(std::vector<Section>& sections, const RunRecord& run, bool has_summary) {
  if (run.cases.empty()) return add_section(sections, "Cases", Paragraph{"The file has no case."});
  Table cases = cases_table(run, has_summary, false);
  if (!has_summary) append(cases.notes, warning_notes(run.cases));
  append(cases.notes, method_notes(run));
  add_section(sections, "Cases", std::move(cases), table_of_some(run), processes_table(run),
              published_table(run));
}

std::string run_table(const RunRecord& record) {
  if (record.cases.empty()) return "no case was measured\n";
  if (const auto part = make_beginning(record)) return run_table(*part) + left_out_text(record) + "\n";
  const Table all = cases_table(record, false, true);
  std::vector<std::string> notes = failure_notes(record.cases);
  append(notes, all.notes);
  append(notes, warning_notes(record.cases));
  append(notes, data_notes(record));
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
