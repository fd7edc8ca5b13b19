#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/derived.h"
#include "pages/record_table.h"
#include "pages/run_sections.h"

namespace gpubench {
namespace {

Tone tone_of(RowStatus status) {
  constexpr std::array kNotRun = {RowStatus::kSkipped, RowStatus::kInterrupted, RowStatus::kUnsupported};
  if (status == RowStatus::kOk) return Tone::kGood;
  return std::ranges::find(kNotRun, status) == kNotRun.end() ? Tone::kBad : Tone::kWarning;
}

std::size_t column_called(const Table& table, const std::string& heading) {
  const auto found = std::ranges::find(table.columns, heading, &Column::heading);
  return static_cast<std::size_t>(found - table.columns.begin());
}

void say_how_it_ended(Cell& cell, const CaseRecord& c) {
  cell.tone = tone_of(c.status);
  if (c.status != RowStatus::kOk) cell.note = reason_text(c);
}

void say_whether_steady(Cell& cell, const CaseRecord& c) {
  const Reading<bool> steady = is_steady(c);
  if (c.status != RowStatus::kOk || !steady.has_value() || steady.value()) return;
  const Reading<double> slope = epoch_slope(c);
  cell.tone = Tone::kWarning;
  cell.note = fmt::format("times were still changing, by {} an epoch", percent_text(slope.value()));
}

/// Sizes are long: the table has those that differ, and the others are said once.
void shorten_sizes(Table& table, const std::vector<CaseRecord>& cases) {
  const std::size_t column = column_called(table, "sizes");
  if (column == table.columns.size()) return;
  const RowNames names(identities_of(cases));
  std::set<std::string> notes;
  bool is_needed = false;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const RowIdentity identity = identity_of(cases[i]);
    const std::string common = names.common_sizes(identity);
    table.rows[i][column].text = one_line(names.told_sizes(identity));
    is_needed = is_needed || !table.rows[i][column].text.empty();
    if (!common.empty()) notes.insert(one_line("all rows of " + cases[i].model + ": " + common));
  }
  if (!is_needed) remove_column(table, column);
  table.notes.insert(table.notes.begin(), notes.begin(), notes.end());
}

using Fields = std::vector<Field<CaseRecord>>;

/// Energy and sustained speed have sections of their own.
bool is_told_elsewhere(const Field<CaseRecord>& field) {
  return field.unit == "J" || field.unit == "W" || field.key == "sustained_share";
}

/// Whether the field is a figure of some models alone, such as perplexity.
bool is_of_some(const Field<CaseRecord>& field) {
  return field.shown == Shown::kInTableWhereUnusual && !is_told_elsewhere(field) &&
         std::holds_alternative<Absent>(field.get(CaseRecord{}));
}

Fields fields_of_all() {
  Fields fields(case_fields().begin(), case_fields().end());
  std::erase_if(fields, [](const auto& field) { return is_of_some(field) || is_told_elsewhere(field); });
  return fields;
}

/// What a case is, and the figures of some.
Fields fields_of_some() {
  Fields fields;
  bool is_before_status = true;
  for (const Field<CaseRecord>& field : case_fields()) {
    is_before_status = is_before_status && field.key != "status";
    if (is_before_status || is_of_some(field)) fields.push_back(field);
  }
  return fields;
}

Table table_of(std::string title, const Fields& fields, const std::vector<CaseRecord>& cases) {
  // Why failed ones lack something is said in their row.
  Table table = record_table(std::move(title), fields, cases, spokesman_of(cases));
  shorten_sizes(table, cases);
  return table;
}

Table cases_table(const std::vector<CaseRecord>& cases) {
  Table table = table_of("", fields_of_all(), cases);
  const std::size_t status = column_called(table, "status");
  const std::size_t median = column_called(table, "median");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    say_how_it_ended(table.rows[i].at(status), cases[i]);
    if (median < table.columns.size()) say_whether_steady(table.rows[i].at(median), cases[i]);
  }
  append(table.notes, warning_notes(cases));
  append(table.notes, method_notes(cases));
  return table;
}

bool has_figure_of_some(const CaseRecord& c) {
  return std::ranges::any_of(case_fields(), [&](const Field<CaseRecord>& field) {
    return is_of_some(field) && !std::holds_alternative<Absent>(field.get(c));
  });
}

/// In a table of their own: in that of all cases they would be columns of dashes. Empty where there are none.
Table table_of_some(std::vector<CaseRecord> cases) {
  std::erase_if(cases, [](const CaseRecord& c) { return !has_figure_of_some(c); });
  return cases.empty() ? Table{} : table_of("Figures of some models", fields_of_some(), cases);
}

std::vector<std::string> names_of(const std::vector<NamedValues>& figures) {
  std::vector<std::string> names;
  for (const NamedValues& values : figures) {
    for (const auto& [name, value] : values) add_once(names, name);
  }
  return names;
}

/// "power_watts" as power in watts.
Column column_of(const std::string& figure) {
  const std::size_t split = figure.rfind('_');
  std::string words = figure.substr(0, split);
  std::ranges::replace(words, '_', ' ');
  return {words, split == std::string::npos ? "" : figure.substr(split + 1), true};
}

/// What the publication states of the cases beyond the fields of a case; without rows where that is nothing.
Table published_table(const RunRecord& run) {
  if (!run.published) return {};
  const std::vector<std::string> figures = names_of(run.published->figures);
  if (figures.empty()) return {};
  const CaseNames names(run.cases);
  Table table{"Further figures of the publication", {{"case"}}, {}, {}};
  append(table.columns, mapped(figures, column_of));
  for (std::size_t i = 0; i < std::min(run.cases.size(), run.published->figures.size()); ++i) {
    std::vector<Cell> row{{names.one(run.cases[i])}};
    for (const std::string& figure : figures) {
      const Reading<double> value = value_of(run.published->figures[i], figure);
      row.push_back(
          field_cell(value.has_value() ? FieldValue(value.value()) : absent(value.reason()), "", 2));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

void add_cases(std::vector<Section>& sections, const RunRecord& run) {
  if (run.cases.empty()) return add_section(sections, "Cases", Paragraph{"The file has no case."});
  const std::vector<RepeatGroup> groups = repeat_groups(run);
  const Table repeats =
      groups.empty() ? Table{} : record_table("Repeats", repeat_fields(), groups, groups.front());
  add_section(sections, "Cases", cases_table(run.cases), table_of_some(run.cases), repeats,
              published_table(run));
}

}  // namespace gpubench
