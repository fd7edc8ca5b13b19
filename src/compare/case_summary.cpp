#include "compare/case_summary.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

template <class T>
std::vector<T> those_with(const std::vector<FieldValue>& values) {
  std::vector<T> found;
  for (const FieldValue& value : values) {
    if (const T* one = std::get_if<T>(&value)) found.push_back(*one);
  }
  return found;
}

/// A rate is an amount by a time: the median is that of the times.
double median_in(const std::string& unit, std::vector<double> numbers) {
  const bool is_rate = unit.ends_with("/s") && std::ranges::min(numbers) > 0;
  if (!is_rate) return compute_median(numbers);
  return 1 / compute_median(mapped(numbers, [](double rate) { return 1 / rate; }));
}

FieldValue together(const std::string& unit, const std::vector<FieldValue>& values) {
  const std::vector<double> numbers = those_with<double>(values);
  if (!numbers.empty()) return median_in(unit, numbers);
  std::vector<std::string> texts;
  for (const std::string& text : those_with<std::string>(values)) add_once(texts, text);
  return texts.empty() ? values.front() : join(texts, " / ");
}

FieldValue value_in(const Field<CaseRecord>& field, const CaseSummary& row) {
  if (row.told.empty()) return field.get(CaseRecord{});
  if (row.told.size() == 1) return field.get(*row.told.front());
  return together(field.unit, mapped(row.told, [&](const CaseRecord* c) { return field.get(*c); }));
}

Field<CaseSummary> field_of_rows(const Field<CaseRecord>& field) {
  const auto get = [&field](const CaseSummary& row) { return value_in(field, row); };
  return {field.key, field.unit, field.label, field.shown, field.help, {get, {}, field.values}};
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

/// "memory", or "none (64 % of the time unexplained)".
Field<CaseSummary> bound_field(const Field<CaseRecord>& field) {
  const auto get = [&field](const CaseSummary& row) -> FieldValue {
    FieldValue value = value_in(field, row);
    if (value != FieldValue(std::string(kNoBound))) return value;
    const double part =
        compute_median(mapped(row.told, [](const CaseRecord* c) { return unexplained_share(*c).value(); }));
    return fmt::format("{} ({:.0f} % of the time unexplained)", kNoBound, 100 * part);
  };
  return {field.key, field.unit, field.label, field.shown, field.help, {get}};
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

}  // namespace

bool CaseSummary::is_ok() const { return !told.empty() && told.front()->status == RowStatus::kOk; }

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
    if (field.key == "repeat") {
      fields.push_back(processes_field());
    } else {
      fields.push_back(field.key == "bottleneck" ? bound_field(field) : field_of_rows(field));
    }
    if (field.key == "median_epoch_rel_ci95") fields.push_back(between_runs_field());
  }
  return fields;
}

}  // namespace gpubench
