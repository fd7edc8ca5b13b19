#include <algorithm>

#include <fmt/format.h>

#include "engine/selftest/cases.h"
#include "engine/selftest/checks/entries.h"
#include "engine/selftest/trajectory.h"

namespace gpubench {
namespace {

/// Steps in Python agree to 2e-5 whatever the kernels; a learning rate that is 2 % off is seen.
constexpr double kTolerance = 1e-4;
/// Other devices add in other orders.
constexpr double kDeviceTolerance = 5e-4;
/// Noise that is drawn on the device is other noise than the trajectory's: losses may be so many times as far
/// from it as those of two seeds are from each other.
constexpr double kSpreads = 4;

class Comparison {
 public:
  Comparison(const ModelEntry& entry, const Json& trajectory, c10::Device place)
      : entry_(entry), trajectory_(trajectory), place_(place) {}

  CheckRow row() const {
    double difference = 0;
    double tolerance = place_.is_cpu() ? kTolerance : kDeviceTolerance;
    const Json& runs = trajectory_.at("runs");
    for (const Json& run : runs) {
      // In the first run the rate must come from the recipe.
      const double rate = &run == &runs.front() ? 0 : run.at("learning_rate").get<double>();
      const NamedLosses losses = train(run, rate, 0);
      difference = std::max(difference, difference_from(run, losses));
      if (!place_.is_cpu()) tolerance = std::max(tolerance, kSpreads * spread(run, rate, losses));
    }
    return compared(entry_.name, difference, tolerance,
                    fmt::format("losses are {:.1e} from those of Python at most", difference));
  }

 private:
  NamedLosses train(const Json& run, double rate, std::uint64_t further_seed) const {
    const auto seed = trajectory_.at("noise_seed").get<std::uint64_t>() + further_seed;
    return train_trajectory(entry_, trajectory_, run, rate, place_, seed);
  }

  double spread(const Json& run, double rate, const NamedLosses& losses) const {
    double largest = 0;
    const NamedLosses others = train(run, rate, 1);
    for (const auto& [name, series] : losses) {
      if (run.at("losses").contains(name))
        largest = std::max(largest, largest_difference(others.at(name), series));
    }
    return largest;
  }

  const ModelEntry& entry_;
  const Json& trajectory_;
  c10::Device place_;
};

CheckRows run(Subject& subject) {
  CheckRows rows;
  for (const ModelEntry& entry : subject.models) {
    const auto trajectory = trajectory_of(entry.name);
    rows.push_back(trajectory ? Comparison(entry, *trajectory, c10::Device(subject.device.name())).row()
                              : unchecked(entry.name, "the program carries no losses of it"));
  }
  return rows;
}

}  // namespace

CheckEntry check_losses() {
  return {"losses", "ten steps of each model in fp32 end with the losses of Python PyTorch", run};
}

}  // namespace gpubench
