#pragma once
// From options to the list of cases: every combination of device, model, batch size and mode, checked before
// any work. No LibTorch.

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
#include "gpubench/record/row_identity.h"
#include "gpubench/record/training_mode.h"

namespace gpubench {

struct CaseRecord;  // record/run_record.h

// --- When a case has trained for long enough: functions of the epoch times seen so far.

/// How many epochs a case trains.
struct StoppingRule {
  std::int64_t warmup_epochs = 0;         ///< The least to drop; a rule with a target may drop more.
  std::int64_t min_epochs = 1;            ///< The warm-up included.
  std::int64_t max_epochs = 1;            ///< Equal to `min_epochs` if the number is fixed.
  std::optional<double> target_rel_ci95;  ///< Half the interval of the median over the median.
  Seconds min_timed{0};                   ///< Least total length of the epochs after the warm-up.

  friend bool operator==(const StoppingRule&, const StoppingRule&) = default;
};

/// A target counts as reached only after steady epochs of this length together. On a shared machine shorter
/// stretches agree with each other and not with the long run: in two recordings of some minutes each,
/// intervals of 30 s held the median of the whole 63 times in 72, those of 60 s 63 times in 64.
inline constexpr Seconds kLeastSteady{60};

/// Most epochs of a case: a record of more would be too large to read.
inline constexpr std::int64_t kMostEpochs = 100'000;

/// The epochs whose times show no trend.
struct SteadyState {
  std::int64_t first = 0;  ///< Epochs before it are warm-up.
  bool is_steady = false;  ///< False if times still fall or rise at the end, or if there are too few
                           ///< (kLeastForTrend in core/stats.h).
  double slope = 0;        ///< Change an epoch from `first` on, as a part of the median.
};

/// Drops epochs from the front, at least `warmup_epochs` and at most half of the rest, until the rest is
/// level and does not begin with an outlier (core/stats.h) or has kLeastForTrend epochs. `epoch_seconds`
/// holds more than `warmup_epochs` values; of more than 500 after these, the medians of 500 equal stretches
/// are used.
SteadyState find_steady_state(std::span<const double> epoch_seconds, std::int64_t warmup_epochs);

enum class Stop { kNo, kEpochs, kTargetReached, kMaxEpochs, kTime };

/// Decides after each epoch whether and why to stop. Never before `min_timed` is reached, even after
/// `max_epochs`. With a target: from `min_epochs` on, when times are steady and half the interval of the
/// median of the steady ones is below the target part of it, now and an epoch ago; fewer than 10 steady
/// epochs must be more precise, in proportion to their number. `timed` is the sum of `epoch_seconds` after
/// the rule's warm-up.
Stop decide(const StoppingRule& rule, std::span<const double> epoch_seconds, Seconds timed);

/// Returns the number of epochs that statistics leave out: the rule's warm-up, or, with a target, the one
/// found.
std::int64_t count_warmup(const StoppingRule& rule, std::span<const double> epoch_seconds);

// --- What to measure.

/// What the user asked to measure. The lists make a grid.
struct PlanOptions {
  std::vector<std::string> models{"cnn"};
  std::vector<std::string> devices{"auto"};
  ModelSizes sizes;                            ///< Of all the models; the rest have the model's defaults.
  std::vector<std::int64_t> batch_sizes{128};  ///< Samples a step over all ranks, each at least 1.
  std::vector<std::int64_t> rank_batch_sizes;  ///< Samples a step of each rank instead, unless empty.
  std::vector<std::int64_t> ranks;  ///< Processes that train a case together; 0: 1, 2, 4, ... up to
                                    ///< all. Empty: one, or all that a launcher has started.
  std::string dataset = "auto";     ///< A dataset's name, "auto" or "synthetic".
  std::vector<Execution> executions{Execution::kAuto};
  std::vector<Precision> precisions{Precision::kFp32};
  std::vector<Layout> layouts{Layout::kAuto};
  std::vector<Loader> loaders{Loader::kResident};
  Protocol protocol = Protocol::kEpoch;
  // Numbers of epochs include the warm-up.
  std::optional<std::int64_t> epochs;      ///< Fixed; unset: 5, or by the next three if one of them is set.
  std::optional<std::int64_t> min_epochs;  ///< Unset: 5.
  std::optional<std::int64_t> max_epochs;  ///< Unset: 200.
  std::optional<double> target_rel_ci95;   ///< Stops when half the interval of the median epoch is below
                                           ///< this part of it, in (0, 1); unset: 0.02.
  std::optional<Seconds> min_timed;        ///< Least total length of the epochs after the warm-up.
  std::optional<std::int64_t> warmup_epochs;  ///< Below the fewest epochs; unset: 1, or 0 for one epoch.
  std::int64_t seed = 0;
  std::int64_t limit = 0;               ///< Samples used of each split; 0 means all.
  std::optional<double> learning_rate;  ///< Unset: the model's own recipe.
  std::int64_t repeat = 1;              ///< Repetitions of every case, each in a process of its own.
  bool is_profiled = false;             ///< Profiles steps after the timed epochs.
  std::string trace;                    ///< Folder for traces of these steps; empty: none.

  friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};

/// Result of trials of a mode `auto`.
template <class Mode>
struct Choice {
  Mode used{};
  std::string note{};  ///< Reason; may be empty.
};

/// Results of trials of the modes `auto` of a case.
struct ResolvedModes {
  Choice<Layout> layout;
  Choice<Execution> execution;  ///< Graph, or `auto`: if the device can. Eager has a note.
};

/// Source of a case's samples.
enum class DataSource {
  kReal,            ///< The dataset's files, or an error.
  kRealIfPossible,  ///< The files, downloaded if need be, else a synthetic stand-in.
  kSynthetic,
};

/// One training to measure. The entries belong to their catalogs, which live as long as the program.
struct Case {
  const ModelEntry* model = nullptr;
  ModelSizes sizes;                       ///< A value for each option of the model.
  const DatasetEntry* dataset = nullptr;  ///< For synthetic data: the dataset it stands in for.
  DataSource source = DataSource::kRealIfPossible;
  std::string device;  ///< Resolved name, e.g. "cuda:0".
  std::int64_t batch_size = 0;
  TrainingMode mode;
  Protocol protocol = Protocol::kEpoch;
  StoppingRule stopping;
  std::int64_t repeat = 1;  ///< From 1.
  std::int64_t seed = 0;
  std::int64_t limit = 0;
  std::optional<double> learning_rate;
  std::int64_t profile_steps = 0;  ///< Steps to profile after the timed epochs; 0 means none.
  std::string trace;               ///< File for the Chrome trace of these steps; empty means none.

  std::int64_t ranks = 1;  ///< Processes that train it together, on a share of each batch each.

  // Set before the case is run. No part of the plan.
  std::optional<ResolvedModes> tried{};
  std::optional<RankContext> rank_context{};  ///< Of this process; unset for a single rank.
};

/// Returns the case of one rank that trains the largest share of a batch by itself.
Case alone(Case c);

/// Returns the training samples of an epoch out of `used`: without a last batch that leaves some rank without
/// a sample.
std::int64_t trained_samples(const Case& c, std::int64_t used);

/// Returns the data that the case's model takes at its sizes.
DataSpec make_spec(const Case& c);

/// Returns how many of a split's `size` samples a case with this `limit` uses.
std::int64_t used_samples(std::int64_t size, std::int64_t limit);

/// Throws a usage Error for a plan of more rows than a document holds.
void require_room(std::size_t rows);

/// Returns the cases in the order devices, models, batch sizes, ranks, precisions, executions, layouts,
/// loaders, repetitions. `devices` are the resolved names of options.devices. Throws a usage Error that names
/// the option for an unknown name, a value out of range, or a model that does not take the dataset.
std::vector<Case> make_plan(const PlanOptions& options, const std::vector<std::string>& devices,
                            const Catalog<ModelEntry>& models, const Catalog<DatasetEntry>& datasets);

/// Returns the positions of work in the order in which to run it, given the repetition of each. Every piece
/// is run once before any is run again, and with repetitions each of these rounds is shuffled, so that a
/// machine that slows down does so for all alike.
std::vector<std::size_t> execution_order(const std::vector<std::int64_t>& repeats, std::int64_t seed);

// --- Rows before they run.

/// Facts of a dataset before it is arranged for a model.
struct DataFacts {
  SplitSizes sizes;
  bool is_synthetic = false;
  DataSpec spec = {};
};

DataFacts make_facts(const Dataset& dataset);

/// Returns the samples of each split that the case uses.
SplitSizes used_sizes(const Case& c, const DataFacts& data);

/// Returns the row of a case that was not run.
CaseRecord describe(const Case& c, const DataFacts& data);

/// Returns "cnn", with its sizes in brackets if the model has any.
std::string model_text(const Case& c);

/// Returns the identity of the case's row without the samples of an epoch, which depend on the data.
RowIdentity make_identity(const Case& c);

}  // namespace gpubench
