#pragma once
// Visitors of the lists, parts and rows of records, const or not.

#include <concepts>
#include <type_traits>

#include "gpubench/record/field_table.h"
#include "gpubench/record/machine_records.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// T is the record, const or not.
template <class T, class Record>
concept Like = std::same_as<std::remove_const_t<T>, Record>;

/// Calls `visit(key, list, fields)` for each list of records in a record.
template <class Record, class Visit>
void visit_lists(Record& record, const Visit& visit) {
  if constexpr (Like<Record, CaseRecord>) {
    visit("energy", record.energy, energy_fields());
  } else if constexpr (Like<Record, Environment>) {
    visit("devices", record.devices, device_fields());
    visit("datasets", record.datasets, dataset_fields());
    visit("ranks", record.ranks, rank_fields());
  } else if constexpr (Like<Record, DatasetRecord>) {
    visit("files", record.files, data_file_fields());
  }
}

/// Calls `visit(key, part, fields)` for the tool, the plan and the environment, or for the publication.
template <class Run, class Visit>
void visit_parts(Run& run, const Visit& visit) {
  if constexpr (Like<Run, RunRecord>) {
    if (run.published) return visit("published", *run.published, published_fields());
  }
  visit("tool", run.tool, tool_fields());
  if constexpr (Like<Run, RunRecord>) visit("plan", run.plan, plan_fields());
  visit("environment", run.environment, environment_fields());
}

/// Calls `visit(rows, fields)`.
template <class Run, class Visit>
void visit_rows(Run& run, const Visit& visit) {
  if constexpr (Like<Run, RunRecord>) {
    if (run.has_operations())
      visit(run.operations, op_fields());
    else
      visit(run.cases, case_fields());
  } else if constexpr (Like<Run, PeakRecord>) {
    visit(run.points, peak_point_fields());
  } else {
    visit(run.checks, check_fields());
  }
}

}  // namespace gpubench
