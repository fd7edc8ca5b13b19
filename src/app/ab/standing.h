#pragma once
// What is known after so many rounds, and whether further ones would tell more.

#include <optional>
#include <string>

#include "compare/comparison.h"

namespace gpubench {

enum class Standing {
  kOpen,     ///< Further rounds may tell.
  kDecided,  ///< Of every pair of rows that has a ratio it is known which is faster, or that they are equal.
  kIncomparable,  ///< No pair of rows compares, whatever is measured.
};

/// With a threshold for gate() it is decided where the gate knows its answer.
Standing standing_of(const Comparison& comparison, const std::optional<double>& gate);

/// Why no pair compares; empty where one does.
std::string obstacle_of(const Comparison& comparison);

/// "B 1.10 times as fast as A (1.05 to 1.15)", for each duel.
std::string ratios_text(const Comparison& comparison);

}  // namespace gpubench
