#pragma once
// Parameters of a training. Their table, train_parameters.h, has names, options, defaults, ranges and help.

#include <cstdint>
#include <string>

#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/training_mode.h"

namespace gpubench {

/// Maximum number of epochs of a case: a record of more would be too large to read.
inline constexpr std::int64_t kMostEpochs = 100'000;

/// A point of a grid of trainings. A default-constructed one is empty; a Grid has the defaults.
struct TrainPoint {
  std::string model{};
  std::string sizes{};          ///< "embedding=200,layers=2"; empty: the model's own.
  std::string device{};         ///< "auto" or a name such as "cuda:0".
  std::string dataset{};        ///< A dataset's name, "auto" or "synthetic".
  std::int64_t batch_size = 0;  ///< Samples per optimizer step, over all ranks.
  std::int64_t rank_batch = 0;  ///< Samples per optimizer step of each rank instead; 0: `batch_size` counts.
  std::int64_t ranks = 1;       ///< Processes that train together; 0: 1, 2, 4, ... up to all.
  std::int64_t accumulate = 1;  ///< Micro-batches per optimizer step, whose gradients add up.
  TrainingMode mode{};
  Protocol protocol = Protocol::kEpoch;
  std::int64_t repeat = 1;         ///< Repetition, from 1. Each has a process of its own.
  std::int64_t epochs = 0;         ///< Maximum number, warm-up included; 0: by the default.
  std::int64_t min_epochs = 0;     ///< Minimum number, warm-up included; equal to `epochs` if fixed.
  std::int64_t warmup_epochs = 0;  ///< First epochs, which statistics leave out; -1: `auto`.
  Seconds min_timed{0};            ///< Minimum total time of the epochs after the warm-up.
  Measured<double> target_rel_ci95 = missing("the number of epochs is fixed");  ///< See `--target-ci`.
  std::int64_t seed = 0;
  double learning_rate = 0;      ///< 0: the model's own recipe.
  std::int64_t max_samples = 0;  ///< Samples used of each split; 0: all.
  bool is_profiled = false;      ///< Profiles steps after the timed epochs.
  std::string trace{};           ///< Folder for the Chrome traces of these steps; empty: none.

  friend bool operator==(const TrainPoint&, const TrainPoint&) = default;
};

}  // namespace gpubench
