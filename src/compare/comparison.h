#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/candidate.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {

// Ratios of two sides, and verdicts. Intervals include the variation between fresh processes of one program,
// which epochs alone never show (Kalibera and Jones 2013, doi:10.1145/2491894.2464160).

/// Verdict on a ratio by its 95 % interval. A ratio above 1 is better. The first that applies.
enum class Outcome {
  kBetter,     ///< The interval lies above 1. By chance in 1 of 40 comparisons of equal sides.
  kWorse,      ///< The interval lies below 1.
  kEqual,      ///< The interval lies within the margin.
  kUndecided,  ///< The interval includes 1 and exceeds the margin.
  kUnknown,    ///< The interval is missing.
};

/// Default margin of equality: smaller differences are not worth reporting.
inline constexpr double kLeastMargin = 0.05;

/// Default margin of sides in interleaved runs, which are measured until the verdict is known.
inline constexpr double kInterleavedMargin = 0.02;

/// Returns the verdict. Equal means that the interval lies between 1 / (1 + margin) and 1 + margin. Figures
/// further apart are called equal at most 1 time in 40 (Schuirmann 1987, doi:10.1007/BF01068419).
Outcome decide_outcome(const Estimate& ratio, double margin = kLeastMargin);

/// Returns Candidate::equality_margin if set, else kInterleavedMargin or kLeastMargin.
double compute_margin(const Candidate& one, const Candidate& other);

/// Ratio of a figure of two rows of the same work, with its processes. Points into the comparison.
struct RowRatio {
  Estimate ratio{};                     ///< Base over other: above 1 the other is better.
  const RoundFigures* over = nullptr;   ///< Numerator.
  const RoundFigures* under = nullptr;  ///< Denominator.
  Measuring measuring = Measuring::kMixed;
  CandidateRow base{};
  CandidateRow other{};  ///< Row of the same candidate if a device is compared with itself.
  double noise_arm = 0;  ///< 95 % half-width of the logarithm of the ratio of equal runs; 0 if unknown.
};

/// Returns the ratio of the medians of two rows. In interleaved runs the interval is from ratio_of_rounds()
/// over the shared rounds. Otherwise it needs three processes per side and is from ratio_of_stretches() if
/// the sides were measured apart, else from ratio_of_medians(). `measuring` defaults to find_measuring().
///
/// If the sides were measured apart and the noise between runs of both is known, the interval includes it,
/// for any number of processes. With kHistory it is the prediction interval of a new run (Hahn 1969,
/// doi:10.1080/01621459.1969.10501027).
RowRatio make_ratio(const CandidateRow& base, const CandidateRow& other,
                    RoundFigures RowFigures::*processes = &RowFigures::process_seconds,
                    std::optional<Measuring> measuring = {});

/// Returns the geometric mean of at least one ratio. Disturbances of a whole round do not average out over
/// rows. So the interval includes that of the ratio of round means, as in make_ratio(), in interleaved runs
/// and if all rows of each side share three rounds. Otherwise it is from compute_geometric_mean().
Estimate compute_mean(std::span<const RowRatio> rows);

std::vector<double> ratio_values(std::span<const RowRatio> rows);

struct BaselineComparison;

/// Two rows of the same work or position, or a row without counterpart. Points into the comparison.
struct Pair {
  const RowFigures* base = nullptr;            ///< Null if only the other side has it.
  const RowFigures* other = nullptr;           ///< Null if only the baseline has it.
  std::vector<Difference> differences{};       ///< Differences of the rows, without those of the machines.
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
  bool is_forced = false;  ///< Refused figures are shown, too.
  std::vector<Difference> differences;
  std::vector<Pair> pairs;  ///< Rows in the order of the baseline, then those that only the other has.
};

/// Comparison of candidates. Move-only, since versus_baseline and pairs point into it.
struct Comparison {
  Comparison() = default;
  Comparison(Comparison&&) = default;
  Comparison& operator=(Comparison&&) = default;

  std::vector<Candidate> candidates;
  std::vector<BaselineComparison> versus_baseline;
  bool is_forced = false;           ///< Refused figures are shown, too.
  bool has_baseline = false;        ///< Rankings are relative to the first candidate, not to the fastest.
  std::optional<double> price_kwh;  ///< Price of a kWh in any currency, for the cost of energy.
};

/// Labels candidates "A", "B", ... and compares each with its counterpart in the first file: the device of
/// the same name, else the first of the same kind (CPU or other), else the first candidate. If there is only
/// one file, compares each candidate with the first. In interleaved runs rows are paired by position.
Comparison compare(std::vector<Candidate> candidates, bool is_forced,
                   std::optional<double> equality_margin = {});

/// Difference, with the number of affected rows.
struct DifferenceCount {
  Difference difference;
  std::size_t rows = 0;  ///< 0 for a difference of the machines.
};
std::vector<DifferenceCount> difference_counts(const BaselineComparison& versus);

/// Formats "precision: A fp32, B fp16", or "disturbed on both sides".
std::string format_sentence(const Difference& difference, const BaselineComparison& versus);

/// Formats "B against A".
std::string pair_name(const BaselineComparison& versus);

/// Returns the worst effect of all differences of the pair on the metric; at most a caveat if forced.
Comparability comparability_on(Metric metric, const Pair& pair);

/// Figure by which sides are compared. A ratio above 1 is in favour of the other side.
struct ComparedMetric {
  const char* key;      ///< Key in files: "speed_ratio".
  const char* label;    ///< Name in tables: "speed".
  const char* formula;  ///< "t_base / t_other".
  Metric metric;        ///< Metric whose rules of comparability apply.
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

/// Returns the ratio of make_ratio(). Missing if a side lacks the figure or the metric is refused. Energies
/// of different sensors have no interval.
Measured<Estimate> compute_ratio(const ComparedMetric& metric, const Pair& pair);
inline Measured<Estimate> speed_ratio(const Pair& pair) { return compute_ratio(kSpeed, pair); }

double compute_margin(const Pair& pair);

/// Returns the ratios of all pairs that have one, or only those of one subject (model or operation).
std::vector<RowRatio> row_ratios(const BaselineComparison& versus, const ComparedMetric& metric = kSpeed,
                                 const std::string& subject = "");

/// Returns the models or operations that have a ratio, in the order of the pairs. Ends with "", for all of
/// them, if there are several.
std::vector<std::string> list_subjects(const BaselineComparison& versus);

/// Returns t_cpu / t_gpu of each case of a GPU and the most similar CPU case of its file, in equal precision.
std::vector<RowRatio> gpu_benefits(const Comparison& comparison);

/// Returns t_fp32 / t of each case in another precision and the most similar case of its device in fp32.
std::vector<RowRatio> precision_gains(const Comparison& comparison);

}  // namespace gpubench
