#pragma once
// Rules on which figures of two results compare. docs/comparing.md has the table in words.

#include <string>
#include <vector>

#include "compare/candidate.h"
#include "gpubench/record/parameter.h"

namespace gpubench {

/// "epoch time", "start-up", "memory", "accuracy", "energy".
std::string to_string(Metric metric);

/// "comparable", "caveat", "refused".
std::string to_string(Comparability comparability);

/// A condition that differs between two sides, with its effect on each metric.
struct Difference {
  std::string what;  ///< "precision", "LibTorch".
  std::string left;  ///< On the baseline's side.
  std::string right;
  Effects effect{};
  bool is_choice = false;  ///< Sides in alternation differ in it on purpose.

  Comparability on(Metric metric) const { return effect[static_cast<std::size_t>(metric)]; }

  friend bool operator==(const Difference&, const Difference&) = default;
};

/// Stands for gpubench's version in documents of another program's measurements.
inline constexpr const char* kAnotherProgram = "another program";

/// All repetitions of a row, at least one.
template <class Record>
struct Repetitions {
  const RunRecord& document;
  const Record* typical;              ///< Represents all: the first that ended well, else the first.
  std::vector<const Record*> good{};  ///< Those that ended well.
  bool has_warnings = false;
};

/// Sets the conditions of a row whose figures are known.
void set_conditions(RowFigures& row, const Repetitions<CaseRecord>& repetitions);
void set_conditions(RowFigures& row, const Repetitions<OpRecord>& repetitions);

/// Sets the conditions of a candidate whose device is known.
void set_conditions(Candidate& candidate, const RunRecord& run);

/// Differences between the machines' set-ups, which concern every case.
std::vector<Difference> differences(const Candidate& left, const Candidate& right);

std::vector<Difference> differences(const RowFigures& left, const RowFigures& right);

/// Returns what distinguishes `one`: in alternation "precision amp-bf16", or "side B" without a choice; among
/// others of its host and device its file. Otherwise empty.
std::string describe_distinction(const Candidate& one, const std::vector<Candidate>& all);

/// Returns the worst effect of any of `differences` on the metric.
Comparability comparability_on(Metric metric, const std::vector<Difference>& differences);

/// Returns what rows must share: the identity without its modes and its device.
RowIdentity to_work(const RowIdentity& identity);

/// Distance between the modes of two rows of the same work; 0 for equal modes.
int distance(const RowIdentity& left, const RowIdentity& right);

/// The candidate nearest to `identity`; null without candidates.
const RowFigures* find_nearest_row(const RowIdentity& identity,
                                   const std::vector<const RowFigures*>& candidates);

}  // namespace gpubench
