#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "compare/rows.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/derived.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

constexpr const char* kHalfwidth = "median_epoch_rel_ci95";

/// Returns the field over all repeats: the median of numbers; texts are joined if they differ.
FieldValue combine(const Field<CaseRecord>& field, const CaseSummary& row) {
  if (field.key == "repeat") return static_cast<std::int64_t>(row.all.size());
  if (field.key == kHalfwidth && row.between_runs.has_value()) return row.between_runs.value();
  std::vector<double> numbers;
  std::vector<std::string> texts;
  for (const CaseRecord* c : row.good) {
    const FieldValue value = field.get(*c);
    if (const double* number = std::get_if<double>(&value)) numbers.push_back(*number);
    if (const std::string* text = std::get_if<std::string>(&value)) add_once(texts, *text);
  }
  if (numbers.empty()) return texts.empty() ? field.get(*row.good.front()) : join(texts, " / ");
  // The median rate is computed from the median time, so that the two agree.
  const bool is_rate = field.unit.ends_with("/s") && std::ranges::min(numbers) > 0;
  if (!is_rate) return compute_median(numbers);
  return 1 / compute_median(mapped(numbers, [](double rate) { return 1 / rate; }));
}

constexpr std::pair<RowStatus, const char*> kStatusRemedies[] = {
    {RowStatus::kOutOfMemory, "; use a smaller --batch"},
    {RowStatus::kTimeout, "; raise --timeout"},
    {RowStatus::kDiverged, "; lower --learning-rate"},
    {RowStatus::kInterrupted, "; continue with --resume FILE"},
    {RowStatus::kCrashed, "; see stderr_tail in the result file for its last output"}};

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

/// Returns "ok" or "oom"; "4 of 5 ok" if some repeats failed. The cell's note has the reasons.
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

std::vector<Field<CaseRecord>> order_fields(const std::vector<CaseSummary>& rows) {
  std::vector<Field<CaseRecord>> fields(case_fields().begin(), case_fields().end());
  const bool are_sequences = std::ranges::all_of(
      rows, [](const CaseSummary& row) { return row.all.front()->tokens_per_sample > 0; });
  const std::string other_rate = are_sequences ? "samples_per_second" : "tokens_per_second";
  std::erase_if(fields, [&](const auto& field) { return field.key == other_rate; });
  const auto units = mapped(rows, [](const CaseSummary& row) { return sample_rate_unit(*row.all.front()); });
  const bool is_uniform = std::ranges::count(units, units.front()) == std::ssize(units);
  for (Field<CaseRecord>& field : fields) {
    if (field.key == "samples_per_second" && is_uniform) field.label = units.front();
    if (field.key != "repeat") continue;
    field.label = "repeats";
    field.shown = Shown::kInTableIfUnusual;
  }
  const auto status = std::ranges::find(fields, "status", &Field<CaseRecord>::key);
  std::ranges::stable_sort(status + 1, fields.end(), {}, &Field<CaseRecord>::table_rank);
  return fields;
}

Table case_rows_table(const std::vector<CaseSummary>& rows) {
  const auto cases = mapped(rows, [](const CaseSummary& row) { return row.compared.identity; });
  const RowNames names(cases);
  const bool is_between_runs = any_between_runs(rows);
  const auto make_cell = [&](const Field<CaseRecord>& field, const CaseSummary& row, double factor) -> Cell {
    if (field.key == "status") return status_cell(row);
    if (field.key == "sizes") return {one_line(names.differing_sizes(row.compared.identity))};
    Cell cell = field_cell(combine(field, row), field, factor);
    if (field.key == "bottleneck" && cell.text.find(kNoBound) != std::string::npos) cell.text = "unclear";
    if (field.key != kHalfwidth || !cell.value) return cell;
    if (is_between_runs && !row.between_runs.has_value()) return {"unknown", {}, "", Tone::kMuted};
    cell.text = percent_text(*cell.value / 100);
    cell.text.resize(cell.text.size() - 2);  // The heading contains " %".
    return cell;
  };
  // Reasons come from a successful row: the status of a failed one explains its missing figures.
  const auto ok = std::ranges::find_if(rows, &CaseSummary::is_ok);
  return fields_table(order_fields(rows), rows, ok == rows.end() ? rows.front() : *ok, combine, make_cell);
}

/// Formats a value in a readable unit ("64 GiB", "yes"); empty for missing values and lists of figures.
struct FieldWords {
  const std::string& unit;

  std::string operator()(bool is_true) const { return is_true ? "yes" : "no"; }
  std::string operator()(std::int64_t count) const {
    return unit == "B" ? byte_text(Bytes{count}) : with_separators(count);
  }
  std::string operator()(double number) const {
    return unit.empty() ? fmt::format("{:g}", number) : prefixed_text(number, unit);
  }
  std::string operator()(const std::string& text) const { return one_line(text); }
  std::string operator()(const std::vector<std::string>& words) const { return join(words, " "); }
  std::string operator()(const NamedValues& values) const {
    return join(mapped(
        values, [&](const auto& entry) { return one_line(entry.first) + " " + (*this)(entry.second); }));
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

template <class Record, class Records>
void add_rows(Table& table, const FieldTable<Record>& fields, const Records& records) {
  for (const Field<Record>& field : fields) {
    std::vector<Cell> row = mapped(records, [&](const Record* record) {
      const FieldValue value = field.get(*record);
      std::string text = std::visit(FieldWords{field.unit}, value);
      return text.empty() ? no_figure(one_line(why_absent(value))) : Cell{std::move(text)};
    });
    const bool has_any = std::ranges::any_of(row, [](const Cell& cell) { return cell.text != "-"; });
    row.insert(row.begin(), {field.label});
    if (has_any) table.rows.push_back(std::move(row));
  }
}

Table machine_table(std::string title, const std::vector<std::string>& columns,
                    const std::vector<const RunRecord*>& runs) {
  Table table{std::move(title), {{"property"}}, {}, {}};
  append(table.columns, mapped(columns, [](const std::string& name) { return Column{one_line(name)}; }));
  add_rows(table, tool_fields(), mapped(runs, [](const RunRecord* run) { return &run->tool; }));
  add_rows(table, environment_fields(), mapped(runs, [](const RunRecord* run) { return &run->environment; }));
  return table;
}

Table devices_table(const std::vector<DeviceRecord>& devices) {
  Table table{"Devices", {}, {}, {}};
  add_rows(table, device_fields(), mapped(devices, [](const DeviceRecord& device) { return &device; }));
  if (table.rows.empty()) return table;
  // The first field is the name.
  for (const Cell& name : table.rows.front()) table.columns.push_back({name.text});
  table.rows.erase(table.rows.begin());
  return table;
}

Table datasets_table(const std::vector<DatasetRecord>& datasets) {
  Columns<DatasetRecord> table(datasets);
  table.text("dataset", [](const DatasetRecord& dataset) { return one_line(dataset.name); });
  table.text("origin", [](const DatasetRecord& dataset) {
    std::vector<std::string> origins;
    for (const DataFileRecord& file : dataset.files) add_once(origins, one_line(file.provenance));
    const std::string text = dataset.is_synthetic ? "synthetic" : origins.empty() ? "-" : join(origins);
    return Cell{text, {}, one_line(dataset.note), text == "official" ? Tone::kGood : Tone::kWarning};
  });
  return table.take("Datasets");
}

}  // namespace

std::string sample_rate_unit(const CaseRecord& c) {
  if (c.tokens_per_sample > 0) return "tokens/s";
  return c.item.empty() ? "samples/s" : one_line(c.item) + "s/s";
}

Measured<double> CaseSummary::halfwidth() const {
  const FieldValue value = combine(*case_fields().find(kHalfwidth), *this);
  const double* number = std::get_if<double>(&value);
  return number == nullptr ? missing(why_absent(value)) : Measured(*number);
}

bool any_between_runs(const std::vector<CaseSummary>& rows) {
  return std::ranges::any_of(rows, [](const CaseSummary& row) { return row.between_runs.has_value(); });
}

CasesTable cases_table(const RunRecord& run) {
  const std::vector<CaseSummary> rows = aggregate_repeats(run);
  CasesTable made;
  made.table = case_rows_table(rows);
  made.remarks = std::exchange(made.table.notes, {});
  const bool has_failures =
      std::ranges::any_of(run.cases, [](const CaseRecord& c) { return c.status != RowStatus::kOk; });
  made.constants = take_constants(made.table, has_failures ? "status" : "");
  const std::span<Column> columns(made.table.columns);
  const auto epoch = std::ranges::find(columns, "epoch", &Column::heading);
  for (Column& column : std::span(epoch, columns.end())) column.is_detail = true;
  return made;
}

Table repeats_table(const RunRecord& run) {
  std::vector<const CaseRecord*> processes;
  for (const CaseRecord& c : run.cases) {
    if (!run.published && c.status == RowStatus::kOk && !steady_epochs(c).empty()) processes.push_back(&c);
  }
  if (processes.empty()) return {};
  const CaseNames names(run.cases);
  Columns<const CaseRecord*> table(processes);
  table.text("case", [&](const CaseRecord* c) { return names.one(*c); });
  table.text("timed epochs", [](const CaseRecord* c) {
    return fmt::format("{} of {}", steady_epochs(*c).size(), c->epoch_seconds.size());
  });
  for (const auto& [heading, figure] :
       {std::pair{"shortest", &Summary::min}, {"median", &Summary::median}, {"longest", &Summary::max}}) {
    table.number(heading, "", [member = figure](const CaseRecord* c) {
      return duration_cell(epoch_summary(*c).then(member));
    });
  }
  table.number("sd", "", [](const CaseRecord* c) { return percent_cell(epoch_cv(*c)); });
  for (const auto& [heading, part] : {std::pair{"step p50", 0.5}, {"step p99", 0.99}}) {
    const auto make_cell = [quantile = part](const CaseRecord* c) {
      return duration_cell(step_quantile(*c, quantile));
    };
    table.add_known({heading, "", true}, make_cell, make_cell(processes.front()).note);
  }
  return table.take("", table.absences());
}

std::vector<CaseSummary> aggregate_repeats(const RunRecord& run) {
  const std::vector<ComparedRow> compared = make_rows(run);
  std::vector<CaseSummary> rows;
  for (const std::vector<std::size_t>& positions : group_repeats(make_identities(run.cases))) {
    CaseSummary row{compared[rows.size()], {}, {}, {}, {}};
    for (const std::size_t i : positions) row.all.push_back(&run.cases[i]);
    row.good = row.all;
    std::erase_if(row.good, [](const CaseRecord* c) { return c->status != RowStatus::kOk; });
    if (row.good.empty()) row.good = {row.all.front()};
    row.seconds = typical_seconds(row.compared).then(&Estimate::value);
    row.between_runs = halfwidth_between_runs(row.compared.find("median_epoch_seconds")->costs);
    rows.push_back(std::move(row));
  }
  return rows;
}

void add_environment(std::vector<Section>& sections, const RunRecord& run) {
  add_section(sections, "Environment",
              run.published ? Table() : machine_table("Machine and software", {"value"}, {&run}),
              devices_table(run.environment.devices), datasets_table(run.environment.datasets));
}

void add_environments(std::vector<Section>& sections, const std::vector<NamedRun>& all) {
  Table table = machine_table("", mapped(all, &NamedRun::name),
                              mapped(all, [](const NamedRun& one) { return &one.run; }));
  table.notes = {"Differences from the first file are marked"};
  for (std::vector<Cell>& row : table.rows) {
    for (Cell& cell : std::span(row).subspan(2)) {
      if (cell.text != "-" && cell.text != row[1].text) cell.tone = Tone::kWarning;
    }
  }
  add_section(sections, "Environments", std::move(table));
}

}  // namespace gpubench
