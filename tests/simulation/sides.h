#pragma once
// Sides of simulated comparisons, and verdicts on them.

#include <array>
#include <cstddef>
#include <vector>

#include "compare/comparison.h"
#include "simulation/machine.h"

namespace gpubench::test {

/// Setting of a comparison.
struct Setting {
  Machine machine;
  std::size_t processes = 1;    ///< Processes per side.
  double slowdown = 1;          ///< Slowdown of the second side.
  bool is_alternating = false;  ///< Sides alternate; each process is a round.
};

/// Six cases, as in the suite quick, and an operation with calls as long as the blocks of the first case.
struct Side {
  std::vector<Candidate> runs;
  std::vector<Candidate> tables;
};

/// Returns two sides on one machine that differ only by the slowdown.
std::array<Side, 2> simulated_sides(Noise& noise, const Setting& setting);

struct Comparisons {
  Comparison runs;
  Comparison tables;
};
Comparisons compared(const std::array<Side, 2>& sides);

/// Null: the main metric.
Outcome outcome_of_case(const Comparison& comparison, const char* metric = nullptr);
Outcome outcome_of_mean(const Comparison& comparison);

inline constexpr std::size_t kKinds = 5;

/// Returns whether a difference is found in a case, in the mean of all cases, in the energy of a case, in an
/// operation, and by the gate of 5 %.
std::array<bool, kKinds> find_differences(const Comparisons& all);

}  // namespace gpubench::test
