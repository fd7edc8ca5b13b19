#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/candidate.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {

// Ratios of two sides, and the verdicts on them. Intervals include how fresh processes of one program differ,
// which epochs alone never show (Kalibera and Jones 2013, doi:10.1145/2491894.2464160).

/// Verdict on a ratio above 1 for the better side, by its 95 % interval. The first that holds.
enum class Outcome {
  kBetter,     ///< The interval lies above 1: in 1 of 40 comparisons of equals by chance.
  kWorse,      ///< The interval lies below 1.
  kEqual,      ///< It lies within the margin.
  kUndecided,  ///< Neither.
  kUnknown,    ///< There is no interval that includes how runs differ; a missing one proves nothing.
};

/// Margin of equality unless another is asked for: smaller differences are not worth reporting.
inline constexpr double kLeastMargin = 0.05;

/// Margin of sides in alternation, which are measured until the verdict is known.
inline constexpr double kMarginInAlternation = 0.02;

/// "Equal" means that the whole interval lies from 1 / (1 + margin) to 1 + margin: figures further apart are
/// called so at most 1 time in 40 (two one-sided tests, Schuirmann 1987, doi:10.1007/BF01068419).
Outcome decide_outcome(const Estimate& ratio, double margin = kLeastMargin);

/// Returns Candidate::equality_margin where one was asked for, else kMarginInAlternation or kLeastMargin.
double compute_margin(const Candidate& one, const Candidate& other);

/// Ratio of a figure of two rows of the same work, with its processes. Points into the comparison.
struct RowRatio {
  Estimate ratio{};  ///< Of the base over the other: above 1 the other is the better one.
  const RoundFigures* over = nullptr;
  const RoundFigures* under = nullptr;
  Measuring measuring = Measuring::kMixed;  ///< Of the sides.
  CandidateRow base{};
  CandidateRow other{};  ///< Of the same candidate where a device is compared with itself.
  double noise_arm = 0;  ///< Logarithm by which equal runs differ at most (95 %); 0 if it is unknown.
};

/// Divides the medians of the processes of two rows that have the figure. In alternation the interval is that
/// of ratio_of_rounds() over shared rounds. Otherwise it needs three processes a side: ratio_of_stretches()
/// if measured apart, else ratio_of_medians(). Without `measuring` it is find_measuring() of the sides.
///
/// Where the sides were measured apart and the noise of both is known, the interval holds that too, with any
/// number of processes; the arms add as independent ones do. With a side of kHistory it is the prediction
/// interval of a new run (Hahn 1969, doi:10.1080/01621459.1969.10501027).
RowRatio make_ratio(const CandidateRow& base, const CandidateRow& other,
                    RoundFigures RowFigures::*processes = &RowFigures::process_seconds,
                    std::optional<Measuring> measuring = {});

/// Returns the geometric mean of at least one ratio. What slows a whole round does not average away over
/// rows: in alternation, and if all rows of either side share three rounds, the interval holds that of the
/// ratio of round means, made as in make_ratio(). Otherwise it is that of compute_geometric_mean().
Estimate compute_mean(std::span<const RowRatio> rows);

std::vector<double> ratio_values(std::span<const RowRatio> rows);

struct BaselineComparison;

/// Two rows of the same work or position, or one without a counterpart. Points into the comparison.
struct Pair {
  const RowFigures* base = nullptr;            ///< Null if only the other side has it.
  const RowFigures* other = nullptr;           ///< Null if only the baseline has it.
  std::vector<Difference> differences{};       ///< Of the rows, without those of the machines.
  const BaselineComparison* versus = nullptr;  ///< Owner of the pair.

  const RowFigures& any() const { return base != nullptr ? *base : *other; }
  bool is_common() const { return base != nullptr && other != nullptr; }
  bool has_energies() const {
    return is_common() && base->epoch_joules.has_value() && other->epoch_joules.has_value();
  }
};

struct BaselineComparison {
  const Candidate* base = nullptr;
  const Candidate* other = nullptr;
  bool is_forced = false;  ///< Refused figures are shown all the same.
  std::vector<Difference> differences;
  std::vector<Pair> pairs;  ///< In the order of the baseline, then what only the other has.
};

/// Moved, never copied: versus_baseline and pairs point into it.
struct Comparison {
  Comparison() = default;
  Comparison(Comparison&&) = default;
  Comparison& operator=(Comparison&&) = default;

  std::vector<Candidate> candidates;
  std::vector<BaselineComparison> versus_baseline;
  bool is_forced = false;           ///< Refused figures are shown all the same.
  bool has_baseline = false;        ///< Rankings are relative to the first candidate, not to the fastest.
  std::optional<double> price_kwh;  ///< Price of a kWh in any currency; then energy has a cost.
};

/// Labels candidates "A", "B", ... and compares each after the first with the baseline's side: a CPU with the
/// CPU of the first file, another device with its first other device, else with the first candidate. Those of
/// the first file are compared only if there is no other. In alternation rows are paired by position.
Comparison compare(std::vector<Candidate> candidates, bool is_forced,
                   std::optional<double> equality_margin = {});

/// A difference of a versus with the number of rows that it concerns.
struct DifferenceCount {
  Difference difference;
  std::size_t rows = 0;  ///< 0 for one of the machines.
};
std::vector<DifferenceCount> difference_counts(const BaselineComparison& versus);

/// "precision: A fp32, B fp16"; "disturbed on both sides".
std::string format_sentence(const Difference& difference, const BaselineComparison& versus);

/// "B against A".
std::string pair_name(const BaselineComparison& versus);

/// Returns the worst effect of all differences of the pair on the metric; at most a caveat if forced.
Comparability comparability_on(Metric metric, const Pair& pair);

/// A figure by which sides are compared: a ratio above 1 speaks for the other side.
struct ComparedMetric {
  const char* key;      ///< In files of values: "speed_ratio".
  const char* label;    ///< For people: "speed".
  const char* formula;  ///< "t_base / t_other".
  Metric metric;        ///< Whose rules of comparability hold.
  Measured<Estimate> RowFigures::*figure;
  RoundFigures RowFigures::*processes;
};
inline constexpr std::array kComparedMetrics = {
    ComparedMetric{"speed_ratio", "speed", "t_base / t_other", Metric::kTime, &RowFigures::seconds,
                   &RowFigures::process_seconds},
    ComparedMetric{"energy_ratio", "energy", "E_base / E_other", Metric::kEnergy, &RowFigures::epoch_joules,
                   &RowFigures::process_joules},
    ComparedMetric{"energy_delay_ratio", "energy-delay product", "(E_base t_base) / (E_other t_other)",
                   Metric::kEnergy, &RowFigures::epoch_joules, &RowFigures::process_joule_seconds}};
inline constexpr const ComparedMetric& kSpeed = kComparedMetrics[0];
inline constexpr const ComparedMetric& kEnergy = kComparedMetrics[1];
inline constexpr const ComparedMetric& kEnergyDelay = kComparedMetrics[2];

/// Returns the ratio of the base over the other, or the reason for none: a side lacks the figure, or the
/// metric is refused. The interval is that of make_ratio(); energies of unlike sensors have none.
Measured<Estimate> compute_ratio(const ComparedMetric& metric, const Pair& pair);
inline Measured<Estimate> speed_ratio(const Pair& pair) { return compute_ratio(kSpeed, pair); }

double compute_margin(const Pair& pair);

/// The ratios of the versus's pairs that have one; with a subject those of this model or operation alone.
std::vector<RowRatio> row_ratios(const BaselineComparison& versus, const ComparedMetric& metric = kSpeed,
                                 const std::string& subject = "");

/// The models or operations that have a ratio, in the order of the pairs; of several "" comes last, for all.
std::vector<std::string> list_subjects(const BaselineComparison& versus);

/// t_cpu / t_gpu: each case of a GPU against the most similar one of its file's CPU, in equal precision.
std::vector<RowRatio> gpu_benefits(const Comparison& comparison);

/// t_fp32 / t: each case in another precision against the same device's in fp32 that is most like it.
std::vector<RowRatio> precision_gains(const Comparison& comparison);

}  // namespace gpubench
