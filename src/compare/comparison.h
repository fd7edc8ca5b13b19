#pragma once
// Comparison of pairs: matching rows, refusals, ratios, intervals and verdicts. Rankings, gates, reports,
// charts and data are views of pairs, so the same two candidates have the same verdict everywhere.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/candidate.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {

// Intervals include the variation between fresh processes of one program, which epochs alone never show
// (Kalibera and Jones 2013, doi:10.1145/2491894.2464160).

/// Verdict on a ratio by its 95 % interval. A ratio above 1 is better. The first that applies.
enum class Outcome {
  kBetter,        ///< The interval lies above 1. By chance in 1 of 40 comparisons of equal candidates.
  kWorse,         ///< The interval lies below 1.
  kEqual,         ///< The interval lies within the margin.
  kInconclusive,  ///< The interval includes 1 and exceeds the margin.
  kUnknown,       ///< The interval is missing.
};

/// Default margin of equality: smaller differences are not worth reporting.
inline constexpr double kLeastMargin = 0.05;

/// Default margin of variants in interleaved runs, which are measured until the verdict is known.
inline constexpr double kInterleavedMargin = 0.02;

/// Returns the verdict. Equal means that the interval lies between 1 / (1 + margin) and 1 + margin. Values
/// further apart are called equal at most 1 time in 40 (Schuirmann 1987, doi:10.1007/BF01068419).
Outcome decide_outcome(const Estimate& ratio, double margin = kLeastMargin);

/// Returns "faster", "slower", "equal within 5 %", "inconclusive" or "unknown"; "better" or "worse" for
/// metrics other than times.
std::string outcome_word(Outcome outcome, double margin, MetricClass metric_class);

/// Returns Candidate::equality_margin if set, else kInterleavedMargin or kLeastMargin.
double compute_margin(const Candidate& one, const Candidate& other);

/// Ratio of a metric of two rows of the same work, with its samples. Points into the comparison.
struct RowRatio {
  Estimate ratio{};                      ///< Base over other cost: above 1 the other is better.
  const MetricSamples* over = nullptr;   ///< Numerator.
  const MetricSamples* under = nullptr;  ///< Denominator.
  Measuring measuring = Measuring::kMixed;
  CandidateRow base{};
  CandidateRow other{};  ///< Row of the same candidate if a device is compared with itself.
  double noise_arm = 0;  ///< 95 % half-width of the logarithm of the ratio of equal runs; 0 if unknown.
  double freedom = 0;    ///< Degrees of freedom of the interval; 0 without an interval.

  /// Returns the model or the operation.
  const std::string& subject() const { return base.row->identity.subject(); }
  /// Returns the variation of the machine's earlier runs, one of which is a side if Measuring::kHistory.
  const Measured<RunNoise>& noise() const { return (base.candidate->is_history ? over : under)->noise; }
};

/// Returns the ratio of the medians of two rows, which both have the metric. In interleaved runs the interval
/// is from ratio_of_rounds() over the shared rounds. With a baseline of earlier runs it is the prediction
/// interval of a new run (Hahn 1969, doi:10.1080/01621459.1969.10501027). Otherwise it needs three processes
/// per candidate and is from ratio_of_stretches() if they were measured apart, else from ratio_of_medians().
/// `measuring` defaults to find_measuring().
RowRatio make_ratio(const CandidateRow& base, const CandidateRow& other, const Metric& metric,
                    std::optional<Measuring> measuring = {});

/// Returns the geometric mean of at least one ratio. Disturbances of a whole round do not average out over
/// rows. So the interval includes that of the ratio of round means, as in make_ratio(), in interleaved runs
/// and if all rows of each candidate share three rounds. Otherwise it is from compute_geometric_mean().
Estimate compute_mean(std::span<const RowRatio> rows);

std::vector<double> ratio_values(std::span<const RowRatio> rows);

struct CandidatePair;

/// Two rows of the same work or position, or a row without counterpart. Points into the comparison.
struct Pair {
  const ComparedRow* base = nullptr;      ///< Null if only the other candidate has it.
  const ComparedRow* other = nullptr;     ///< Null if only the baseline has it.
  std::vector<Difference> differences{};  ///< Differences of the rows, without those of the machines.
  const CandidatePair* owner = nullptr;

  const ComparedRow& any() const { return base != nullptr ? *base : *other; }
  bool is_common() const { return base != nullptr && other != nullptr; }
};

struct CandidatePair {
  const Candidate* base = nullptr;
  const Candidate* other = nullptr;
  bool is_forced = false;  ///< Different work is compared, too.
  std::vector<Difference> differences{};
  std::vector<Pair> pairs{};  ///< Rows in the order of the baseline, then those that only the other has.

  bool is_published() const { return base->published || other->published; }
  bool is_interleaved() const { return are_interleaved(*base, *other); }
  Measuring measuring() const { return find_measuring(*base, *other); }
  double margin() const { return compute_margin(*base, *other); }
};

/// Comparison of candidates. Move-only, since its pairs point into it.
struct Comparison {
  Comparison() = default;
  Comparison(Comparison&&) = default;
  Comparison& operator=(Comparison&&) = default;

  std::vector<Candidate> candidates;
  std::vector<CandidatePair> versus_baseline;
  bool is_forced = false;                ///< Different work is compared, too.
  std::optional<double> price_kwh;       ///< Price of a kWh in any currency, for the cost of energy.
  std::vector<const Metric*> metrics{};  ///< Metrics to show instead of the main one; empty: the main one.
};

/// Names the candidates and compares each with its counterpart in the first file: the device of the same
/// name, else the first of the same kind (CPU or other), else the first candidate. If there is only one file,
/// compares each candidate with the first. In interleaved runs rows are paired by position.
Comparison compare(std::vector<Candidate> candidates, bool is_forced,
                   std::optional<double> equality_margin = {});

/// Returns the identity without modes and device. Rows with equal work are paired.
RowIdentity to_work(const RowIdentity& identity);

/// Returns rows of two candidates in pairs: each row with the most similar row of the same work, and every
/// row once. The pairs have no owner.
std::vector<Pair> match_rows(const CandidatePair& owner, const std::vector<const ComparedRow*>& base,
                             const std::vector<const ComparedRow*>& other);

/// Returns the pair of two rows with its differences.
Pair compare_rows(const CandidatePair& owner, const ComparedRow* base, const ComparedRow* other);

/// Difference, with the number of affected rows.
struct DifferenceCount {
  Difference difference;
  std::size_t rows = 0;  ///< 0 for a difference of the machines.
};
std::vector<DifferenceCount> difference_counts(const CandidatePair& versus);

/// Formats "precision: desk fp32, laptop fp16", or "disturbed on both".
std::string format_sentence(const Difference& difference, const CandidatePair& versus);

/// Returns "desk vs laptop".
std::string pair_name(const CandidatePair& versus);

/// Returns the worst effect of all differences of the pair; at most a caution if forced.
Comparability comparability_on(MetricClass metric_class, const Pair& pair);

/// Returns true if both rows have the metric and it may be compared.
bool is_comparable(const Metric& metric, const Pair& pair);

/// Returns the ratio of make_ratio(). Missing if a row lacks the metric, if its class is refused, or if the
/// metric is per epoch and the epochs differ. Energies of different sensors have no interval.
/// Null: the ratio of the first main metric of both rows that has one; the reason for the last without one.
Measured<RowRatio> find_ratio(const Metric* metric, const Pair& pair);

Measured<Estimate> compute_ratio(const Metric& metric, const Pair& pair);
Measured<Estimate> speed_ratio(const Pair& pair);

/// Returns the ratios of all pairs that have one. Null: the main metric of each pair.
std::vector<RowRatio> row_ratios(const CandidatePair& versus, const Metric* metric = nullptr);

/// Returns t_cpu / t_gpu of each case of a GPU and the most similar CPU case of its file, in equal precision.
std::vector<RowRatio> gpu_benefits(const Comparison& comparison);

/// Returns t_fp32 / t of each case in another precision and the most similar case of its device in fp32.
std::vector<RowRatio> precision_gains(const Comparison& comparison);

}  // namespace gpubench
