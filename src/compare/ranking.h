#pragma once
// Machines ordered by throughput, each with its fastest precision.

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/comparison.h"

namespace gpubench {

/// Best row of a machine for some work. Points into the comparison.
struct RankedMachine {
  const Candidate* candidate = nullptr;
  const RowFigures* best = nullptr;  ///< Of several works the row of the first one.
  const RowFigures* fp32 = nullptr;  ///< Fastest row in fp32; null without one.
  double throughput = 0;             ///< Of `best`, see compute_throughput(); of several works the mean.
  Estimate relative{};               ///< Throughput over that of the reference.
  std::size_t rank = 1;     ///< Equal for machines whose intervals overlap that of the first of them.
  bool is_certain = false;  ///< False if an interval is missing: then the rank is the measured place.
};

struct Ranking {
  RowIdentity work;                             ///< Without device and modes.
  std::size_t cases = 1;                        ///< More: `relative` is a geometric mean over these.
  const Candidate* reference = nullptr;         ///< The baseline if one was named, else the fastest machine.
  std::vector<RankedMachine> machines;          ///< The fastest first; at least two.
  std::vector<const Candidate*> left_out = {};  ///< Machines whose rows are of other work.
};

/// Returns samples per second, or epochs or calls per second if their samples are unknown.
double compute_throughput(const RowFigures& row);

/// Returns a ranking for each model and batch size (or operation) that two machines ran well. Precisions are
/// ranked together; rows that are refused for another reason are left out unless the comparison is forced.
std::vector<Ranking> rank_machines(const Comparison& comparison);

/// Ranks by the geometric mean over works that all ranked machines have; nothing for fewer than two works.
std::optional<Ranking> rank_overall(const Comparison& comparison);

/// Cost of a million samples where the machine has a price and the samples are known.
std::optional<double> cost_per_million(const RankedMachine& machine);

}  // namespace gpubench
