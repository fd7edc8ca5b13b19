#pragma once
// Contenders beside a baseline, case by case.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compare/between_runs.h"
#include "compare/candidate.h"
#include "compare/comparability.h"

namespace gpubench {

struct BaselineComparison;

/// Two rows of the same work, or of sides in alternation, or one that the other side does not have. Points
/// into the comparison.
struct Pair {
  const RowFigures* base = nullptr;   ///< Null where only the other side has it.
  const RowFigures* other = nullptr;  ///< Null where only the baseline has it.
  std::vector<Difference>
      differences{};  ///< Of the rows; those of the machines are the BaselineComparison's.
  const BaselineComparison* versus = nullptr;  ///< That it is a part of.

  const RowFigures& any() const { return base != nullptr ? *base : *other; }
  bool is_common() const { return base != nullptr && other != nullptr; }
  bool has_energies() const {
    return is_common() && base->epoch_joules.has_value() && other->epoch_joules.has_value();
  }
};

/// One candidate against the baseline.
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
  bool is_forced = false;           ///< As all its versus_baseline.
  std::optional<double> price_kwh;  ///< What a kWh costs, in any currency; then energy has a cost.
};

/// Compares each candidate after the first with the baseline's side: a CPU with the CPU of the first
/// candidate's file where it has one, another device with its first other device, else with the first
/// candidate. Labels the candidates "A", "B", ... A candidate of the baseline's own file is no versus against
/// another of its file, unless there is only one file. Rows of sides in alternation are paired by position
/// where there are as many, whatever they are. All have the margin of equality, if any.
Comparison compare(std::vector<Candidate> candidates, bool is_forced,
                   std::optional<double> equality_margin = {});

/// Of all differences of the versus, each once with the rows that it concerns.
struct DifferenceCount {
  Difference difference;
  std::size_t rows = 0;  ///< 0 for one of the machines.
};
std::vector<DifferenceCount> difference_counts(const BaselineComparison& versus);

/// "precision: A fp32, B fp16"; "disturbed on both sides".
std::string format_sentence(const Difference& difference, const BaselineComparison& versus);

/// "B against A".
std::string pair_name(const BaselineComparison& versus);

/// What the pair's and the versus's differences do to the metric; a caveat at most where forced.
Comparability comparability_on(Metric metric, const Pair& pair);

// Figures of a pair. Each is absent, with the reason, where a side has none or the metric is refused. The
// intervals of ratios include how runs differ, or are absent: see between_runs.h.

/// How many times as fast the other is: t_base / t_other.
Measured<Estimate> speed_ratio(const Pair& pair);

/// E_base / E_other: above 1 the other needs less. Without an interval where the sensors are of different
/// kinds.
Measured<Estimate> energy_ratio(const Pair& pair);

/// Energy-delay product of the baseline over the other's, of a mean epoch: (E_base t_base) / (E_other
/// t_other). Above 1 the other's is the lower one.
Measured<Estimate> energy_delay_ratio(const Pair& pair);

/// One of these three, with the figures of processes that it is of.
struct PairRatio {
  Measured<Estimate> (*of)(const Pair&);
  RoundFigures RowFigures::*processes;
};
inline constexpr PairRatio kSpeed{speed_ratio, &RowFigures::process_seconds};
inline constexpr PairRatio kEnergy{energy_ratio, &RowFigures::process_joules};
inline constexpr PairRatio kEnergyDelay{energy_delay_ratio, &RowFigures::process_joule_seconds};

/// Within this the times of the rows of both sides are told to be equal.
double compute_margin(const Pair& pair);

/// T0 of both sides.
Measured<std::pair<double, double>> find_startups(const Pair& pair);

/// Who is ahead after n epochs by T(n) = T0 + n t. "Always": neither T0 nor t is larger.
struct BreakEven {
  enum class Kind { kBaseAlways, kOtherAlways, kBaseOvertakes, kOtherOvertakes } kind;
  double epochs;  ///< n* = (T0_B - T0_A) / (t_A - t_B); 0 or below where one always is.
};

/// By the medians of processes. Missing where it is not beyond doubt that the epochs differ.
Measured<BreakEven> break_even(const Pair& pair);

/// A figure of two rows of the same work, one over the other. Points into the comparison.
struct RowRatio {
  const Candidate* base = nullptr;
  const Candidate* other = nullptr;  ///< The same as `base` where a device is held against itself.
  const RowFigures* base_row = nullptr;
  const RowFigures* other_row = nullptr;
  Estimate ratio{};  ///< Above 1 the other is the better one.
  RoundFigures RowFigures::*processes = &RowFigures::process_seconds;  ///< What it is of.
};

/// The geometric mean of ratios of one kind, at least one; see mean_of_rounds().
Estimate compute_mean(std::span<const RowRatio> rows);

/// The same with the other averages.
Average compute_average(std::span<const RowRatio> rows);

/// Within this they are told to be equal: the largest compute_margin() any.
double compute_margin(std::span<const RowRatio> rows);

/// Those of the versus's pairs that have the ratio.
std::vector<RowRatio> row_ratios(const BaselineComparison& versus, const PairRatio& ratio = kSpeed);

/// Those of a model or an operation. Of all without a subject.
struct SubjectRatios {
  std::string subject;
  std::vector<RowRatio> rows;
};

/// The versus's ratios by model or operation, in the order of the pairs; those of all come last where there
/// are several.
std::vector<SubjectRatios> ratios_by_subject(const BaselineComparison& versus,
                                             const PairRatio& ratio = kSpeed);

/// Arithmetic mean of the baseline's times over that of the other's.
double ratio_of_means(const std::vector<RowRatio>& rows);

// What a file says by itself: GPU against CPU, precision against fp32.

/// t_cpu / t_gpu: each case of a GPU against the CPU's of the same file that is most like it, in equal
/// precision.
std::vector<RowRatio> gpu_benefits(const Comparison& comparison);

/// t_fp32 / t: each case in another precision against the same device's in fp32 that is most like it.
std::vector<RowRatio> precision_gains(const Comparison& comparison);

}  // namespace gpubench
