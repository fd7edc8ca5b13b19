#pragma once
// Rankings of candidates, from the ratios of all pairs.

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/comparison.h"

namespace gpubench {

/// Ranks that a candidate may have, at 95 % for the whole ranking (Mogstad, Romano, Shaikh and Wilhelm,
/// "Inference for ranks", doi:10.1093/restud/rdad006): 1 + the number of better candidates, up to the number
/// of all minus that of the worse ones.
struct RankInterval {
  std::size_t best = 1;
  std::size_t worst = 1;

  friend bool operator==(const RankInterval&, const RankInterval&) = default;
};

/// Ratio of two candidates at positions `base` and `other` of a ranking; above 1 `other` is better.
struct RankTest {
  std::size_t base = 0;
  std::size_t other = 0;
  Estimate ratio{};
  double freedom = 0;  ///< Degrees of freedom of the interval; 0 without an interval.
};

/// Decides all pairs by Holm's procedure (1979, Scand. J. Statist. 6, 65-70) at 5 %, with p-values of
/// Student's t. A pair whose own interval includes 1 is never decided. With `pooled_freedom` above 0 the
/// scatter is pooled over the pairs, unless their deviations differ by more than a factor of five: intervals
/// of candidates measured apart are too wide for pairs to be decided one by one (docs/research/intervals.md).
/// Returns the interval of each candidate; empty for one without a test with an interval.
std::vector<std::optional<RankInterval>> decide_ranks(std::size_t candidates,
                                                      const std::vector<RankTest>& tests,
                                                      double pooled_freedom = 0);

/// Rows of one work, by position of the candidate; null for candidates without it.
struct WorkRows {
  std::vector<const ComparedRow*> rows;

  /// Returns the position of the first candidate that has the work.
  std::size_t first() const;
  const ComparedRow& any() const { return *rows[first()]; }
};

/// All pairs of candidates. Points into the comparison.
class PairTable {
 public:
  explicit PairTable(const Comparison& comparison);

  const CandidatePair& at(std::size_t base, std::size_t other) const { return pairs_[base * count_ + other]; }
  /// Returns the pair of rows of two candidates, by their positions.
  Pair find(const WorkRows& work, std::size_t base, std::size_t other) const {
    return compare_rows(at(base, other), work.rows[base], work.rows[other]);
  }

 private:
  std::size_t count_;
  std::vector<CandidatePair> pairs_;
};

/// Returns the rows of all candidates by work, in the order of the first candidate that has it. Rows whose
/// times a pair refuses are apart.
std::vector<WorkRows> align_rows(const Comparison& comparison, const PairTable& pairs);

struct RankedCandidate {
  const Candidate* candidate = nullptr;
  std::vector<const ComparedRow*> rows{};  ///< Row of each work.
  Estimate relative{};                 ///< Speed relative to the reference; a geometric mean over the works.
  std::optional<RankInterval> rank{};  ///< Empty without an interval.
};

/// Candidates with comparable rows of one or several works. No pair of them is refused.
struct Ranking {
  std::vector<WorkRows> works{};
  const Candidate* reference = nullptr;       ///< The first candidate of the comparison that is ranked.
  const Metric* metric = nullptr;             ///< Main metric of the first work.
  std::vector<RankedCandidate> candidates{};  ///< At least two, the fastest first.
};

/// Returns a ranking for each set of candidates with comparable rows; the one with the most candidates first.
std::vector<Ranking> rank_candidates(const Comparison& comparison);

/// Returns the cost of a million samples at the geometric mean of the throughputs, if price and samples are
/// known.
std::optional<double> cost_per_million(const RankedCandidate& candidate);

}  // namespace gpubench
