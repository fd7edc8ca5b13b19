#pragma once
// Whether figures of two runs may stand beside each other. docs/comparing.md has the table in words.

#include <array>
#include <string>
#include <vector>

#include "gpubench/compare/contender.h"

namespace gpubench {

/// What is compared.
enum class Metric { kTime, kStartup, kMemory, kAccuracy, kEnergy };
inline constexpr std::size_t kMetrics = 5;

/// "epoch time", "start-up", "memory", "accuracy", "energy".
std::string to_string(Metric metric);

/// From good to bad.
enum class Judgement {
  kComparable,
  kCaveat,   ///< Shown, with what to mind.
  kRefused,  ///< Not shown unless forced: the figures are of different work.
};

/// "comparable", "caveat", "refused".
std::string to_string(Judgement judgement);

/// Something that is not alike, with what that does to each metric.
struct Difference {
  std::string what;  ///< "precision", "LibTorch".
  std::string left;  ///< On the baseline's side; "not told" where a file does not say.
  std::string right;
  std::array<Judgement, kMetrics> effect{};

  Judgement on(Metric metric) const { return effect[static_cast<std::size_t>(metric)]; }

  friend bool operator==(const Difference&, const Difference&) = default;
};

/// What differs between the machines' set-ups, whatever the case.
std::vector<Difference> differences(const Contender& left, const Contender& right);

/// What differs between the cases themselves.
std::vector<Difference> differences(const CaseFigures& left, const CaseFigures& right);

/// The worst that any of `differences` does to the metric.
Judgement judgement_on(Metric metric, const std::vector<Difference>& differences);

/// How unlike two cases are that train the same network on the same data with the same batch size; 0 for
/// equal modes. Of several the most alike is compared.
int distance(const CaseFigures& left, const CaseFigures& right);

}  // namespace gpubench
