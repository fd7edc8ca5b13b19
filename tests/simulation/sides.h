#pragma once
// Sides of simulated comparisons, and what is told of them.

#include <array>
#include <cstddef>
#include <vector>

#include "compare/comparison.h"
#include "simulation/machine.h"

namespace gpubench::test {

/// How the sides of a comparison are measured.
struct Setting {
  Machine machine;
  std::size_t processes = 1;    ///< A side.
  double slowdown = 1;          ///< Of the second side.
  bool is_alternating = false;  ///< Each process is a round.
};

/// Six cases, as in suite quick, and an operation whose calls take as long as the blocks of the first case.
struct Side {
  std::vector<Candidate> runs;
  std::vector<Candidate> tables;
};

/// Of equal programs on one machine, but for the slowdown.
std::array<Side, 2> simulated_sides(Noise& noise, const Setting& setting);

struct Comparisons {
  Comparison runs;
  Comparison tables;
};
Comparisons compared(const std::array<Side, 2>& sides);

Outcome outcome_of_case(const Comparison& comparison, const ComparedMetric& ratio = kSpeed);
Outcome outcome_of_mean(const Comparison& comparison);

/// Whether a difference is told of a case, of the mean of all, of the energy of a case, of an operation, and
/// by the gate of 5 %.
inline constexpr std::size_t kKinds = 5;
std::array<bool, kKinds> told_differences(const Comparisons& all);

}  // namespace gpubench::test
