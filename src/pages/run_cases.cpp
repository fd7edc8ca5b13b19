#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/derived.h"
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

Field<CaseSummary> field_of_rows(const Field<CaseRecord>& field) {
  const auto get = [&field](const CaseSummary& row) {
    if (row.good.empty()) return field.get(CaseRecord{});
    if (row.good.size() == 1) return field.get(*row.good.front());
    return combine(field.unit, mapped(row.good, [&](const CaseRecord* c) { return field.get(*c); }));
  };
  return {field.key.c_str(), field.unit.c_str(), field.label.c_str(),
          field.shown,       field.help.c_str(), {get, {}, field.values}};
}

Measured<double> find_within_run(const CaseRecord& c) {
  return epoch_summary(c).then(
      [&](const Summary& epochs) { return halfwidth(epoch_interval(c), epochs.median); });
}

constexpr std::pair<RowStatus, const char*> kStatusRemedies[] = {
    {RowStatus::kOutOfMemory, "; use a smaller --batch"},
    {RowStatus::kTimeout, "; raise --timeout"},
    {RowStatus::kDiverged, "; lower --learning-rate"},
    {RowStatus::kInterrupted, "; continue with --resume FILE"},
    {RowStatus::kCrashed, "; stderr_tail in the result file has its last output"}};

/// Returns why the case has no valid result, and what to do about it.
std::string reason_text(const CaseRecord& c) {
  std::string reason = one_line(c.status_reason);
  if (c.requested.has_value()) {
    const std::string free = c.available.has_value() ? ", " + byte_text(c.available.value()) + " free" : "";
    reason += fmt::format(" ({} requested{})", byte_text(c.requested.value()), free);
  }
  const auto* const remedy =
      std::ranges::find(kStatusRemedies, c.status, [](const auto& one) { return one.first; });
  return remedy == std::end(kStatusRemedies) ? reason : reason + remedy->second;
}

/// "ok", "oom"; "4 of 5 ok" if some of several repetitions failed. The note has the reasons.
Cell status_cell(const CaseSummary& row) {
  std::vector<std::string> reasons;
  for (const CaseRecord* c : row.all) {
    if (c->status == RowStatus::kOk) continue;
    const std::string status = row.all.size() > 1 ? to_string(c->status) + ": " : "";
    add_once(reasons, status + reason_text(*c));
  }
  Cell cell{to_string(row.all.front()->status), {}, join(reasons, "; "), find_tone(row.good.front()->status)};
  if (reasons.empty()) return cell;
  if (row.is_ok()) cell.tone = Tone::kWarning;
  if (row.all.size() > 1)
    cell.text = fmt::format("{} of {} ok", row.is_ok() ? row.good.size() : 0, row.all.size());
  return cell;
}

/// Leaves the sizes in which rows differ in the table. Returns those that all rows of a model share.
std::vector<std::string> shorten_sizes(Table& table, const std::vector<CaseSummary>& rows) {
  const auto found = std::ranges::find(table.columns, "sizes", &Column::heading);
  if (found == table.columns.end()) return {};
  const auto column = static_cast<std::size_t>(found - table.columns.begin());
  const auto cases = mapped(rows, [](const CaseSummary& row) { return make_identity(*row.all.front()); });
  const RowNames names(cases);
  std::vector<std::string> common;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    table.rows[i][column].text = one_line(names.told_sizes(cases[i]));
    const std::string sizes = names.common_sizes(cases[i]);
    if (!sizes.empty()) add_once(common, one_line(cases[i].subject() + " with " + sizes));
  }
  return common;
}

/// Figures in the order of their importance: a text that is too narrow lacks the last ones.
constexpr std::array kFirstFigures = {"samples_per_second",
                                      "tokens_per_second",
                                      "median_epoch_seconds",
                                      "median_epoch_rel_ci95",
                                      "mean_epoch_joules",
                                      "accuracy",
                                      "perplexity",
                                      "bottleneck",
                                      "mfu",
                                      "startup_seconds"};

/// The fields of a case over all its repetitions: the median of figures (of rates the one of the median
/// time), texts where they differ one behind the other. `repeat` becomes `processes`, their number.
std::vector<Field<CaseSummary>> case_row_fields() {
  const auto processes = [](const CaseSummary& row) {
    return std::max<std::int64_t>(1, std::ssize(row.all));
  };
  const auto halfwidth = [](const CaseSummary& row) {
    const Measured<double> part = row.halfwidth();
    return part.has_value() ? FieldValue(part.value()) : FieldValue(part.why());
  };
  std::vector<Field<CaseSummary>> fields;
  for (const Field<CaseRecord>& field : case_fields()) {
    if (field.key == "repeat") {
      fields.push_back(
          {"processes", "", "runs", Shown::kInTableWhereUnusual, "Number of runs of the case.", {processes}});
    } else if (field.key == "median_epoch_rel_ci95") {
      fields.push_back({"median_epoch_rel_ci95",
                        "fraction",
                        "±",
                        Shown::kInTable,
                        "Half the 95 % interval of the median epoch.",
                        {halfwidth}});
    } else {
      fields.push_back(field_of_rows(field));
    }
  }
  return fields;
}

std::vector<Field<CaseSummary>> table_fields(const std::vector<CaseSummary>& rows) {
  std::vector<Field<CaseSummary>> fields = case_row_fields();
  const bool are_sequences = std::ranges::all_of(
      rows, [](const CaseSummary& row) { return row.all.front()->tokens_per_sample > 0; });
  const std::string other_rate = are_sequences ? "samples_per_second" : "tokens_per_second";
  std::erase_if(fields, [&](const auto& field) { return field.key == other_rate; });
  const auto status = std::ranges::find(fields, "status", &Field<CaseSummary>::key);
  std::ranges::stable_sort(status + 1, fields.end(), {}, [](const auto& field) {
    return std::ranges::find(kFirstFigures, field.key) - kFirstFigures.begin();
  });
  return fields;
}

/// Finishes the cells of a column that need more than their field.
void finish_column(Table& table, std::size_t column, const std::vector<CaseSummary>& rows) {
  Column& head = table.columns[column];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Cell& cell = table.rows[i][column];
    if (head.heading == "status") cell = status_cell(rows[i]);
    if (head.heading == "limited by" && cell.text.find(kNoBound) != std::string::npos) cell.text = "unclear";
    if (head.heading != "±") continue;
    if (cell.value) {
      cell.text = percent_text(*cell.value / 100);
      cell.text.resize(cell.text.size() - 2);  // The heading has the sign.
    }
    if (any_between_runs(rows) && cell.value && !rows[i].between_runs.has_value())
      cell = {"unknown", {}, "", Tone::kMuted};
  }
  const auto units = mapped(rows, [](const CaseSummary& row) { return sample_rate_unit(*row.all.front()); });
  const bool is_uniform = std::ranges::count(units, units.front()) == std::ssize(units);
  if (head.heading == "samples/s" && is_uniform) head.heading = units.front();
}

/// The column of "power_watts": power in watts.
Column published_column(const std::string& figure) {
  const std::size_t split = figure.rfind('_');
  std::string words = figure.substr(0, split);
  std::ranges::replace(words, '_', ' ');
  return {words, split == std::string::npos ? "" : figure.substr(split + 1), true};
}

}  // namespace

std::string sample_rate_unit(const CaseRecord& c) {
  if (c.tokens_per_sample > 0) return "tokens/s";
  return c.item.empty() ? "samples/s" : one_line(c.item) + "s/s";
}

Measured<double> CaseSummary::halfwidth() const {
  if (between_runs.has_value() || good.empty()) return between_runs;
  std::vector<double> known;
  for (const CaseRecord* c : good) {
    const Measured<double> part = find_within_run(*c);
    if (part.has_value()) known.push_back(part.value());
  }
  return known.empty() ? find_within_run(*good.front()) : Measured<double>(compute_median(known));
}

bool any_between_runs(const std::vector<CaseSummary>& rows) {
  return std::ranges::any_of(rows, [](const CaseSummary& row) { return row.between_runs.has_value(); });
}

CasesTable cases_table(const RunRecord& run) {
  const std::vector<CaseSummary> rows = aggregate_repeats(run);
  // The status of a failed row has the reason for its missing figures.
  const auto ok = std::ranges::find_if(rows, &CaseSummary::is_ok);
  CasesTable made;
  made.table = record_table("", table_fields(rows), rows, ok == rows.end() ? rows.front() : *ok);
  made.remarks = std::exchange(made.table.notes, {});
  append(made.remarks, shorten_sizes(made.table, rows));
  for (std::size_t i = 0; i < made.table.columns.size(); ++i) finish_column(made.table, i, rows);
  const bool has_failures =
      std::ranges::any_of(run.cases, [](const CaseRecord& c) { return c.status != RowStatus::kOk; });
  made.constants = take_constants(made.table, has_failures ? "status" : "");
  const std::span<Column> columns(made.table.columns);
  const auto epoch = std::ranges::find(columns, "epoch", &Column::heading);
  for (Column& column : std::span(epoch, columns.end())) column.is_detail = true;
  return made;
}

Table processes_table(const RunRecord& run) {
  std::vector<const CaseRecord*> processes;
  for (const CaseRecord& c : run.cases) {
    if (!run.published && c.status == RowStatus::kOk && !steady_epochs(c).empty()) processes.push_back(&c);
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
  table.text("timed epochs", [](const CaseRecord* c) {
    return fmt::format("{} of {}", steady_epochs(*c).size(), c->epoch_seconds.size());
  });
  add_seconds("shortest", &Summary::min);
  add_seconds("median", &Summary::median);
  add_seconds("longest", &Summary::max);
  table.number("sd", "", [](const CaseRecord* c) { return percent_cell(epoch_cv(*c)); });
  add_steps("step p50", 0.5);
  add_steps("step p99", 0.99);
  return table.take("", table.absences());
}

Table published_table(const RunRecord& run) {
  if (!run.published) return {};
  std::vector<std::string> figures;
  for (const NamedValues& values : run.published->figures) {
    for (const auto& [name, value] : values) add_once(figures, name);
  }
  if (figures.empty()) return {};
  const CaseNames names(run.cases);
  Table table{"", {{"case"}}, {}, {}};
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

std::vector<CaseSummary> aggregate_repeats(const RunRecord& run) {
  const std::vector<RowFigures> figures = make_rows(run);
  std::vector<CaseSummary> rows;
  for (const std::vector<std::size_t>& positions : group_repeats(make_identities(run.cases))) {
    const RowFigures& its_figures = figures[rows.size()];
    CaseSummary& row = rows.emplace_back();
    for (const std::size_t i : positions) row.all.push_back(&run.cases[i]);
    row.good = row.all;
    std::erase_if(row.good, [](const CaseRecord* c) { return c->status != RowStatus::kOk; });
    if (row.good.empty()) row.good = {row.all.front()};
    row.seconds = its_figures.seconds.then(&Estimate::value);
    row.between_runs = halfwidth_between_runs(its_figures.process_seconds.values);
  }
  return rows;
}

}  // namespace gpubench
