#pragma once
// From points to the list of cases, checked before any work. No LibTorch.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/rank_context.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/units.h"
#include "gpubench/dataset.h"
#include "gpubench/model_catalog.h"
#include "gpubench/record/parameter.h"
#include "gpubench/record/row_identity.h"

namespace gpubench {

struct CaseRecord;  // record/run_record.h

struct StoppingRule {
  std::int64_t warmup_epochs = 0;         ///< The least to drop; a rule with a target may drop more.
  std::int64_t min_epochs = 1;            ///< The warm-up included.
  std::int64_t max_epochs = 1;            ///< Equal to `min_epochs` if the number is fixed.
  std::optional<double> target_rel_ci95;  ///< Half the interval of the median over the median.
  Seconds min_timed{0};                   ///< Least total length of the epochs after the warm-up.

  friend bool operator==(const StoppingRule&, const StoppingRule&) = default;
};

/// Least total time of steady epochs for a target. In two recordings, 30 s intervals held the median of the
/// whole 63 times in 72, 60 s intervals 63 times in 64.
inline constexpr Seconds kLeastSteady{60};

/// The epochs whose times show no trend.
struct SteadyState {
  std::int64_t first = 0;  ///< Epochs before it are warm-up.
  bool is_steady = false;  ///< False if times still fall or rise at the end, or if there are too few
                           ///< (kLeastForTrend in core/stats.h).
  double slope = 0;        ///< Change an epoch from `first` on, as a part of the median.
};

/// Drops at least `warmup_epochs` and at most half of the rest, until the rest is level and begins without
/// an outlier (core/stats.h). Needs more than `warmup_epochs` values; of more than 500 after these, the
/// medians of 500 equal stretches are used.
SteadyState find_steady_state(std::span<const double> epoch_seconds, std::int64_t warmup_epochs);

enum class Stop { kNo, kEpochs, kTargetReached, kMaxEpochs, kTime };

/// Decides after each epoch whether to stop; never before `min_timed`. With a target: from `min_epochs` on,
/// when half the interval of the median is below the target at two checks in a row; fewer than 10 steady
/// epochs must be more precise. `timed` is the sum of `epoch_seconds` after the rule's warm-up.
Stop decide(const StoppingRule& rule, std::span<const double> epoch_seconds, Seconds timed);

/// Returns the epochs that statistics leave out: the rule's warm-up or, with a target, the one found.
std::int64_t count_warmup(const StoppingRule& rule, std::span<const double> epoch_seconds);

/// Result of trials of a mode `auto`.
template <class Mode>
struct Choice {
  Mode used{};
  std::string note{};       ///< Reason; may be empty.
  bool is_lasting = false;  ///< Holds for later runs on this machine too.
};

struct ResolvedModes {
  // Each is empty if the case needs a trial of it.
  std::optional<Choice<Layout>> layout{};
  std::optional<Choice<Execution>> execution{};  ///< Graph, or `auto`: if the device can. Eager has a note.

  bool is_whole() const { return layout && execution; }
};

enum class DataSource {
  kReal,            ///< The dataset's files, or an error.
  kRealIfPossible,  ///< The files, downloaded if need be, else a synthetic stand-in.
  kSynthetic,
};

/// One training to measure. The entries belong to their catalogs, which live as long as the program.
struct Case {
  TrainPoint asked;  ///< With a resolved device and batch size, and a length.
  const ModelEntry* model = nullptr;
  ModelSizes sizes;                       ///< A value for each option of the model.
  const DatasetEntry* dataset = nullptr;  ///< For synthetic data: the dataset it stands in for.

  // Set before the case is run. No part of the plan.
  ResolvedModes tried{};
  std::optional<RankContext> rank_context{};  ///< Of this process; unset for a single rank.

  DataSource source() const;
  StoppingRule stopping() const;
};

/// Returns the file for the Chrome trace of the case, which repetitions overwrite; empty for none.
std::string trace_file(const Case& c);

/// Returns the case of one rank that trains the largest share of a batch by itself.
Case alone(Case c);

/// Returns the samples of an epoch, without a last batch that leaves some rank without a sample.
std::int64_t trained_samples(const Case& c, std::int64_t used);

DataSpec make_spec(const Case& c);

std::int64_t used_samples(std::int64_t size, std::int64_t limit);

/// Returns the case of a point with a resolved device. Throws a usage Error that names the option.
Case make_case(TrainPoint point, const Catalog<ModelEntry>& models, const Catalog<DatasetEntry>& datasets);

std::vector<Case> make_plan(const std::vector<TrainPoint>& points, const Catalog<ModelEntry>& models,
                            const Catalog<DatasetEntry>& datasets);

/// Returns execution order. Every piece runs once before any runs again; rounds are shuffled so that a
/// machine that slows down affects all alike.
std::vector<std::size_t> execution_order(const std::vector<std::int64_t>& repeats, std::int64_t seed);

/// Facts of a dataset before it is arranged for a model.
struct DataFacts {
  SplitSizes sizes;
  bool is_synthetic = false;
  DataSpec spec = {};
};

DataFacts make_facts(const Dataset& dataset);

SplitSizes used_sizes(const Case& c, const DataFacts& data);

/// Returns the row of a case that was not run.
CaseRecord describe(const Case& c, const DataFacts& data);

/// Returns "cnn", with its sizes in brackets if the model has any.
std::string model_text(const Case& c);

/// Returns the identity of the case's row without the samples of an epoch, which depend on the data.
RowIdentity make_identity(const Case& c);

}  // namespace gpubench
