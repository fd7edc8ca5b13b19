#pragma once
// From options to the list of cases: every combination of device, model and batch size, checked before any
// work.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/rank_context.h"
#include "engine/plan/stopping.h"
#include "gpubench/core/collect.h"
#include "gpubench/dataset.h"
#include "gpubench/model_catalog.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// What the user asked to measure. The lists make a grid.
struct PlanOptions {
  std::vector<std::string> models{"cnn"};
  std::vector<std::string> devices{"auto"};
  ModelSizes sizes;  ///< Of all the models; what is left out is as the model has it.
  std::vector<std::int64_t> batch_sizes{128};  ///< Samples a step, each at least 1, of all ranks together.
  std::vector<std::int64_t> rank_batch_sizes;  ///< Instead: samples a step of each rank. Empty: as above.
  /// Processes that train a case together; 0 stands for 1, 2, 4, ... up to all that there are. Empty: one, or
  /// all that a launcher has started.
  std::vector<std::int64_t> ranks;
  std::string dataset = "auto";  ///< A dataset's name, "auto" or "synthetic".
  std::vector<Execution> executions{Execution::kAuto};
  std::vector<Precision> precisions{Precision::kFp32};
  std::vector<Layout> layouts{Layout::kAuto};
  std::vector<Loader> loaders{Loader::kResident};
  Protocol protocol = Protocol::kEpoch;
  std::optional<std::int64_t> epochs;  ///< A fixed number, the warm-up included; unset means 5, or as many
                                       ///< as the next three say where one of them is set.
  std::optional<std::int64_t> min_epochs;  ///< At least so many, the warm-up included; unset means 5.
  std::optional<std::int64_t> max_epochs;  ///< At most so many; unset means 200.
  std::optional<double> target_rel_ci95;   ///< Stop when half the interval of the median epoch is below this
                                           ///< part of it, in (0, 1); unset means 0.02.
  std::optional<Seconds> min_timed;        ///< The epochs after the warm-up last at least so long together.
  std::optional<std::int64_t>
      warmup_epochs;  ///< Below the fewest epochs; unset means 1, or 0 for a single epoch.
  std::int64_t seed = 0;
  std::int64_t limit = 0;               ///< Samples used of each split; 0 means all.
  std::optional<double> learning_rate;  ///< Unset means the model's own recipe.
  std::int64_t repeat = 1;              ///< Repetitions of every case, each in a process of its own.
  bool is_profiled = false;             ///< Whether steps are profiled after the timed epochs.
  std::string trace;                    ///< Folder for a Chrome trace of each case; empty means none.

  friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};

/// What a mode `auto` became, and why.
template <class Mode>
struct Choice {
  Mode used{};
  std::string note{};  ///< Empty where there is nothing to say.
};

/// What the modes `auto` of a case became by trials.
struct ResolvedModes {
  Choice<Layout> layout;
  Choice<Execution> execution;  ///< Graph, or `auto`: if the device can. Eager says why it is to be.
};

/// Where a case's samples come from.
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
  std::string trace;               ///< Chrome trace of these steps goes to this file; empty means none.

  std::int64_t ranks = 1;  ///< Processes that train it together, on a share of each batch each.

  // Set before the case is run. No part of the plan.
  std::optional<ResolvedModes> tried{};
  std::optional<RankContext> rank_context{};  ///< Of this process; unset where it trains by itself.
};

/// The case as one of its ranks would train its share by itself: the largest share of a batch.
Case alone(Case c);

/// How many of the `used` samples of the training split an epoch has: without a last batch that leaves some
/// rank without a sample.
std::int64_t trained_samples(const Case& c, std::int64_t used);

/// What the case's model takes at its sizes.
DataSpec make_spec(const Case& c);

/// How many of a split's `size` samples a case with this `limit` uses.
std::int64_t used_samples(std::int64_t size, std::int64_t limit);

/// Throws a usage Error for a plan of more rows than a document holds.
void require_room(double rows);

/// The cases in the order devices, models, batch sizes, precisions, executions, layouts, loaders,
/// repetitions. `devices` are the resolved names of options.devices. Throws a usage Error that names the
/// option for an unknown name, a value out of range, or a model that does not take the dataset.
std::vector<Case> make_plan(const PlanOptions& options, const std::vector<std::string>& devices,
                            const Catalog<ModelEntry>& models, const Catalog<DatasetEntry>& datasets);

/// The order in which to run work, as positions, given which repetition each is. Without repetitions it is
/// theirs. Else every piece is run once before any is run again, and each of these rounds is shuffled, so
/// that a machine that grows slower does so for all alike.
std::vector<std::size_t> execution_order(const std::vector<std::int64_t>& repeats, std::int64_t seed);

template <class Work>
std::vector<std::size_t> execution_order(const std::vector<Work>& all, std::int64_t seed) {
  return execution_order(mapped(all, &Work::repeat), seed);
}

}  // namespace gpubench
