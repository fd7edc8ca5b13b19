#include <fmt/format.h>

#include "engine/selftest/check.h"

namespace gpubench::seeds_plugin {
namespace {

/// Kernels of GPUs may add in another order each time.
constexpr double kTolerance = 1e-3;

CheckRows run(Subject& subject) {
  SmallTraining training{.model = "mlp", .samples = 64};
  const std::vector<double> first = list_losses(train(subject, training));
  const std::vector<double> second = list_losses(train(subject, training));
  training.seed = 2;
  const std::vector<double> other = list_losses(train(subject, training));
  const double difference = largest_difference(second, first);
  const double tolerance = subject.place().is_cpu() ? 0 : kTolerance;
  return {compared("the same", difference, tolerance, fmt::format("losses are {:.1e} apart", difference)),
          decided("another", largest_difference(other, first) > kTolerance,
                  fmt::format("losses are {:.1e} apart", largest_difference(other, first)))};
}

}  // namespace

CheckEntry entry_seeds() {
  return {"seeds", "two trainings with one seed agree, and those with two differ", run};
}

}  // namespace gpubench::seeds_plugin
