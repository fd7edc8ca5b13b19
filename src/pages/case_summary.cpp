#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/stats/stats.h"
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

Field<CaseSummary> processes_field() {
  const auto get = [](const CaseSummary& row) { return std::max<std::int64_t>(1, std::ssize(row.all)); };
  return {"processes", "", "processes", Shown::kInTableWhereUnusual, "How often the case was run.", {get}};
}

Field<CaseSummary> between_runs_field() {
  const auto get = [](const CaseSummary& row) {
    const Measured<double>& part = row.between_runs;
    return part.has_value() ? FieldValue(part.value()) : missing(part.reason());
  };
  return {kBetweenRuns,
          "fraction",
          "± if run again",
          Shown::kInTable,
          "Half the 95 % interval of the median over fresh processes.",
          {get}};
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
  std::vector<Field<CaseSummary>> fields;
  for (const Field<CaseRecord>& field : case_fields()) {
    fields.push_back(field.key == "repeat" ? processes_field() : field_of_rows(field));
    if (field.key == "median_epoch_rel_ci95") fields.push_back(between_runs_field());
  }
  return fields;
}

}  // namespace gpubench
