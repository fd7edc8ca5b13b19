#pragma once
// Whether figures of two runs may stand beside each other. docs/comparing.md has the table in words.

#include <array>
#include <string>
#include <vector>

#include "compare/candidate.h"

namespace gpubench {

/// What is compared.
enum class Metric { kTime, kStartup, kMemory, kAccuracy, kEnergy };
inline constexpr std::size_t kMetrics = 5;

/// "epoch time", "start-up", "memory", "accuracy", "energy".
std::string to_string(Metric metric);

/// From good to bad.
enum class Comparability {
  kComparable,
  kCaveat,   ///< Shown, with what to mind.
  kRefused,  ///< Not shown unless forced: the figures are of different work.
};

/// "comparable", "caveat", "refused".
std::string to_string(Comparability comparability);

/// Something that is not alike, with what that does to each metric.
struct Difference {
  std::string what;  ///< "precision", "LibTorch".
  std::string left;  ///< On the baseline's side; "not told" where a file does not say.
  std::string right;
  std::array<Comparability, kMetrics> effect{};

  Comparability on(Metric metric) const { return effect[static_cast<std::size_t>(metric)]; }

  friend bool operator==(const Difference&, const Difference&) = default;
};

/// In the place of gpubench's version, in documents of what another program measured.
inline constexpr const char* kAnotherProgram = "another program";

/// What differs between the machines' set-ups, whatever the case.
std::vector<Difference> differences(const Candidate& left, const Candidate& right);

/// What differs between the rows themselves.
std::vector<Difference> differences(const RowFigures& left, const RowFigures& right);

/// `differences` of sides that were measured in alternation: what these may differ in on purpose (precision,
/// program, threads, ...) is what is compared, and nothing to be minded.
std::vector<Difference> with_choices(std::vector<Difference> differences);

/// What distinguishes `one` among `all`: of the sides of an alternation "precision amp-bf16, LibTorch 2.9.1",
/// or "side B" where no file tells; of others its file, where these have the same host and device. Else
/// empty.
std::string describe_distinction(const Candidate& one, const std::vector<Candidate>& all);

/// The worst that any of `differences` does to the metric.
Comparability comparability_on(Metric metric, const std::vector<Difference>& differences);

/// What two rows must have in common to be compared at all: the network, its data and batch size; the
/// operation, its sizes, type, direction and cache.
RowIdentity to_work(const RowIdentity& identity);

/// How unlike two rows of the same work are; 0 for equal modes. Of several the most alike is compared.
int distance(const RowIdentity& left, const RowIdentity& right);

/// The one of these that is most like `identity`; null where there is none.
const RowFigures* find_nearest_row(const RowIdentity& identity,
                                   const std::vector<const RowFigures*>& candidates);

}  // namespace gpubench
