#pragma once
// Ten training steps of every network as Python PyTorch makes them: the losses that the program carries, and
// the same steps here. trajectories/make_trajectories.py says how weights and batches come about.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <c10/core/Device.h>

#include "gpubench/model.h"
#include "record/document/json.h"

namespace gpubench {

/// What the program carries of a model; nothing where that is nothing.
std::optional<Json> trajectory_of(const std::string& model);

/// Losses by name, a step each.
using NamedLosses = std::map<std::string, std::vector<double>>;

/// What the steps of `run`, one of the trajectory's, end with on `device` in strict fp32. A learning rate of
/// 0 is that of the recipe. With `is_channels_last` images and weights lie so. Throws a data Error where the
/// model's parameters are not those of the trajectory.
NamedLosses train_trajectory(const ModelEntry& entry, const Json& trajectory, const Json& run,
                             double learning_rate, c10::Device device, std::uint64_t noise_seed,
                             bool is_channels_last = false);

/// The largest relative difference from the run's losses; infinite where one of them is missing.
double difference_from(const Json& run, const NamedLosses& losses);

/// Batch `number` of a trajectory, in host memory.
Batch trajectory_batch(const DataSpec& spec, const Json& trajectory, std::size_t number);

}  // namespace gpubench
