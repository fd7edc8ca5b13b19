#pragma once
// Tables of docs/research/intervals.md, on standard output.

#include <cstdint>

namespace gpubench::test {

struct Draws {
  int count = 0;  ///< Simulated runs per figure.
  std::uint64_t seed = 0;
};

/// Prints the coverage of intervals of a process's long-run median.
void print_within_processes(const Draws& draws);

/// Prints the coverage of intervals of the median over processes.
void print_between_processes(const Draws& draws);

/// Prints how often comparisons of equal programs find a difference.
void print_false_verdicts(const Draws& draws);

/// Prints how often a slowdown is found.
void print_power(const Draws& draws);

/// Prints how often a slowdown is found in interleaved runs, and after how many rounds.
void print_interleaved_power(const Draws& draws);

}  // namespace gpubench::test
