#pragma once
// The tables of docs/intervals.md, on standard output.

#include <cstdint>

namespace gpubench::test {

/// How many runs each figure is of, and what they begin with.
struct Draws {
  int count = 0;
  std::uint64_t seed = 0;
};

/// Intervals of a process's own long-run median.
void print_within_processes(const Draws& draws);

/// Intervals of the median over processes.
void print_between_processes(const Draws& draws);

/// How often equal programs are told to differ.
void print_false_verdicts(const Draws& draws);

/// How often a slowdown is found.
void print_power(const Draws& draws);

/// The same in alternation, which ends with its first verdict, and after how many rounds that is.
void print_power_of_alternation(const Draws& draws);

}  // namespace gpubench::test
