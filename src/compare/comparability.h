#pragma once
// Rules on which figures of two runs compare. docs/comparing.md has the table in words.

#include <array>
#include <string>
#include <vector>

#include "compare/candidate.h"

namespace gpubench {

enum class Metric { kTime, kStartup, kMemory, kAccuracy, kEnergy };
inline constexpr std::array kAllMetrics = {Metric::kTime, Metric::kStartup, Metric::kMemory,
                                           Metric::kAccuracy, Metric::kEnergy};

/// "epoch time", "start-up", "memory", "accuracy", "energy".
std::string to_string(Metric metric);

/// From good to bad.
enum class Comparability {
  kComparable,
  kCaveat,   ///< Shown with a caution.
  kRefused,  ///< Not shown unless forced: the figures are of different work.
};

/// "comparable", "caveat", "refused".
std::string to_string(Comparability comparability);

/// A condition that differs between two sides, with its effect on each metric.
struct Difference {
  std::string what;  ///< "precision", "LibTorch".
  std::string left;  ///< On the baseline's side; "not told" where a file does not say.
  std::string right;
  std::array<Comparability, kAllMetrics.size()> effect{};

  Comparability on(Metric metric) const { return effect[static_cast<std::size_t>(metric)]; }

  friend bool operator==(const Difference&, const Difference&) = default;
};

/// Stands for gpubench's version in documents of another program's measurements.
inline constexpr const char* kAnotherProgram = "another program";

/// Differences between the machines' set-ups, which concern every case.
std::vector<Difference> differences(const Candidate& left, const Candidate& right);

std::vector<Difference> differences(const RowFigures& left, const RowFigures& right);

/// Returns the differences of sides in alternation: intended ones (precision, threads, ...) have no effect.
std::vector<Difference> with_choices(std::vector<Difference> differences);

/// Returns what distinguishes `one`: in alternation "precision amp-bf16", or "side B" without a difference;
/// among others of its host and device its file. Else empty.
std::string describe_distinction(const Candidate& one, const std::vector<Candidate>& all);

/// Returns the worst effect of any of `differences` on the metric.
Comparability comparability_on(Metric metric, const std::vector<Difference>& differences);

/// Returns what rows must share: network, data and batch size; operation, sizes, type, direction and cache.
RowIdentity to_work(const RowIdentity& identity);

/// Distance between the modes of two rows of the same work; 0 for equal modes.
int distance(const RowIdentity& left, const RowIdentity& right);

/// The candidate nearest to `identity`; null without candidates.
const RowFigures* find_nearest_row(const RowIdentity& identity,
                                   const std::vector<const RowFigures*>& candidates);

}  // namespace gpubench
