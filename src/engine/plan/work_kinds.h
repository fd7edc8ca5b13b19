#pragma once
// The two kinds of work that a run consists of, and what belongs to each: what plans, runs, journals and
// resumes work is written once for both.

#include "engine/plan/op_work.h"
#include "engine/plan/plan.h"
#include "gpubench/record/ops_record.h"

namespace gpubench {

template <class Work>
struct WorkKind;

/// Trainings.
template <>
struct WorkKind<Case> {
  using Row = CaseRecord;
  using Plan = PlanRecord;
  using Document = RunRecord;
  static constexpr const char* kName = "run";
  static constexpr const char* kRow = "case";
  static constexpr const char* kCommand = "gpubench";
};

/// Operations by themselves.
template <>
struct WorkKind<OpWork> {
  using Row = OpRecord;
  using Plan = OpsSettings;
  using Document = OpsRecord;
  static constexpr const char* kName = "operations";
  static constexpr const char* kRow = "row";
  static constexpr const char* kCommand = "gpubench ops";
};

/// The row that work becomes,
template <class Work>
using RowOf = typename WorkKind<Work>::Row;
/// how all of it was planned,
template <class Work>
using PlanOf = typename WorkKind<Work>::Plan;
/// and the document of all rows.
template <class Work>
using DocumentOf = typename WorkKind<Work>::Document;

inline std::vector<CaseRecord>& rows_in(RunRecord& run) { return run.cases; }
inline const std::vector<CaseRecord>& rows_in(const RunRecord& run) { return run.cases; }
inline std::vector<OpRecord>& rows_in(OpsRecord& table) { return table.rows; }
inline const std::vector<OpRecord>& rows_in(const OpsRecord& table) { return table.rows; }
inline PlanRecord& to_plan(RunRecord& run) { return run.plan; }
inline OpsSettings& to_plan(OpsRecord& table) { return table.settings; }

}  // namespace gpubench
