#pragma once
// Tables of operations beside a baseline, row by row.

#include <span>
#include <string>
#include <vector>

#include "gpubench/compare/ops_page.h"
#include "gpubench/core/estimate.h"

namespace gpubench {

/// The rows of one device of one table. Points into the tables.
struct OpsSide {
  std::string label;  ///< "A", "B", ...
  std::string name;   ///< Of the table.
  std::string device;
  const OpsRecord* ops = nullptr;
  std::vector<const OpRecord*> rows;
};

/// "B (desk.json, cuda:0 (NVIDIA H200))".
std::string description_of(const OpsSide& side);

/// Two rows of the same work, or one that the other side does not have.
struct OpPair {
  const OpRecord* base = nullptr;   ///< Null where only the other side has it.
  const OpRecord* other = nullptr;  ///< Null where only the baseline has it.
  Reading<Estimate> base_time;      ///< As usable_time() has them.
  Reading<Estimate> other_time;
  Reading<Estimate>
      ratio;  ///< How many times as fast the other is, t_base / t_other, or why that is unknown.

  const OpRecord& any() const { return base != nullptr ? *base : *other; }
};

/// One side against the baseline.
struct OpsDuel {
  std::size_t base = 0;  ///< Positions in OpsContest::sides.
  std::size_t other = 0;
  std::vector<OpPair> pairs;  ///< In the order of the baseline, then what only the other has.
};

struct OpsContest {
  std::vector<OpsSide> sides;
  std::vector<OpsDuel> duels;

  const OpsSide& base_of(const OpsDuel& duel) const { return sides[duel.base]; }
  const OpsSide& other_of(const OpsDuel& duel) const { return sides[duel.other]; }
};

/// Every device of the other tables against the first table's: a CPU against its CPU where it has one,
/// another device against its first other device, else against its first. Of a single table every device
/// against the first. The contest points into `tables`.
OpsContest contest_of(std::span<const NamedOps> tables);

/// Averages over the pairs of a duel that have a ratio.
struct OpsAverage {
  std::string op;  ///< Empty for that over all.
  std::size_t pairs = 0;
  Estimate ratio;             ///< Geometric mean.
  double ratio_of_means = 0;  ///< Arithmetic mean of the baseline's times over that of the other's.
};

/// Operation by operation in the order of the pairs; that over all comes last, where there are several.
std::vector<OpsAverage> averages_of(const OpsDuel& duel);

/// (ratio - 1) x 100 as "+210 %".
std::string speed_up_text(double ratio);

/// What else differs between the sides, or is to be minded about one, a sentence each.
std::vector<std::string> ops_differences(const OpsContest& contest, const OpsDuel& duel);

}  // namespace gpubench
