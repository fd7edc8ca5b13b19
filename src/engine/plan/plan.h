#pragma once
// Makes the list of cases from parameters, and checks it before any work. No LibTorch.

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

namespace gpubench {

struct CaseRecord;  // record/run_record.h

/// Minimum total time of steady epochs for a target. In two recordings, intervals of 30 s contained the
/// median of the whole in 63 of 72 cases, intervals of 60 s in 63 of 64.
inline constexpr Seconds kLeastSteady{60};

/// Epochs whose times show no trend.
struct SteadyState {
  std::int64_t first = 0;  ///< First steady epoch; those before it are warm-up.
  bool is_steady =
      false;  ///< False if times still change at the end, or with fewer than kLeastForTrend epochs.
};

/// Drops at least `warmup_epochs` and at most half of the rest, until the rest has no trend and does not
/// begin with an outlier (core/stats.h). Needs more than `warmup_epochs` values. If more than 500 follow
/// these, it tests the medians of 500 equal stretches.
SteadyState find_steady_state(std::span<const double> epoch_seconds, std::int64_t warmup_epochs);

enum class Stop { kNo, kEpochs, kTargetReached, kMaxEpochs, kTime };

/// Decides after each epoch whether to stop, but never before `min_timed`. A case with a target stops after
/// `min_epochs` if two checks in a row find half the interval of the median below the target; fewer than 10
/// steady epochs must be more precise. `timed` is the sum of `epoch_seconds` after `warmup_epochs`.
Stop decide(const TrainPoint& asked, std::span<const double> epoch_seconds, Seconds timed);

/// Returns the number of warm-up epochs: the requested or, with a target, the detected one.
std::int64_t count_warmup(const TrainPoint& asked, std::span<const double> epoch_seconds);

/// Result of the trials for a mode that is `auto`.
template <class Mode>
struct Choice {
  Mode used{};
  std::string note{};       ///< Reason of the choice; may be empty.
  bool is_lasting = false;  ///< True if later runs on this machine may reuse the choice.
};

struct ResolvedModes {
  // Empty if the case needs a trial.
  std::optional<Choice<Layout>> layout{};
  std::optional<Choice<Execution>> execution{};  ///< Graph, `auto` (graph if supported), or eager and a note.

  bool is_whole() const { return layout && execution; }
};

enum class DataSource {
  kReal,            ///< The dataset's files; an error if they are missing.
  kRealIfPossible,  ///< The dataset's files, downloaded if necessary; else synthetic data.
  kSynthetic,
};

/// One training to measure. `model` and `dataset` point into catalogs, which are never destroyed.
struct Case {
  TrainPoint asked;  ///< Parameters, with resolved device, batch size and length.
  const ModelEntry* model = nullptr;
  ModelSizes sizes;                       ///< Value of each option of the model.
  const DatasetEntry* dataset = nullptr;  ///< Dataset; synthetic data has its shapes.
  std::string folder;                     ///< Folder of its files; empty: below the data directory.

  // Set before execution; not part of the plan.
  ResolvedModes tried{};
  std::optional<RankContext> rank_context{};  ///< Rank of this process; unset for a single rank.

  DataSource source() const;
  bool is_training() const;       ///< False for inference, which times the test split.
  bool is_single_stream() const;  ///< Each step is one sample, and waits for its result.
};

/// Returns the path of the Chrome trace, which repetitions overwrite; empty without --trace.
std::string trace_file(const Case& c);

/// Returns a single-rank case with the largest share of a batch that a rank gets.
Case alone(Case c);

/// Returns the samples of an epoch. Drops a last batch that is too small to give every rank a sample.
std::int64_t trained_samples(const Case& c, std::int64_t used);

/// Returns the spec of the model.
DataSpec make_spec(const Case& c);

/// Returns the spec of the dataset. Synthetic tokens use the model's whole vocabulary.
DataSpec data_spec(const Case& c);

/// Returns a key that is equal for cases that share a dataset in memory.
std::string data_key(const Case& c);

std::int64_t used_samples(std::int64_t size, std::int64_t limit);

/// Returns the dataset whose training split is the timed one. For inference without a test split, that is the
/// training split. The result shares memory with `dataset`.
Dataset with_timed_split(const Case& c, Dataset dataset);

/// Makes the case of a point with a resolved device. Throws a usage Error that names the option.
Case make_case(TrainPoint point, const Catalog<ModelEntry>& models, const Catalog<DatasetEntry>& datasets);

std::vector<Case> make_plan(const std::vector<TrainPoint>& points, const Catalog<ModelEntry>& models,
                            const Catalog<DatasetEntry>& datasets);

/// Returns the execution order: all cases run once before any runs again. Each round is shuffled, so that a
/// machine that slows down affects all cases alike.
std::vector<std::size_t> execution_order(const std::vector<std::int64_t>& repeats, std::int64_t seed);

/// Sizes and shape of a dataset before it is arranged for a model.
struct DataFacts {
  SplitSizes sizes;
  bool is_synthetic = false;
  DataSpec spec = {};
};

DataFacts make_facts(const Dataset& dataset);

SplitSizes used_sizes(const Case& c, const DataFacts& data);

/// Returns the row of a case that has not run.
CaseRecord describe(const Case& c, const DataFacts& data);

/// Returns the model's name, with its sizes in brackets if it has any.
std::string model_text(const Case& c);

}  // namespace gpubench
