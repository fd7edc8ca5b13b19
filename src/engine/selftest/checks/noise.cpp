#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/selftest/checks/entries.h"
#include "engine/selftest/trajectory.h"
#include "engine/training/metric_table.h"

namespace gpubench {
namespace {

constexpr std::int64_t kCount = 1 << 20;
constexpr double kDeviations = 6;
/// More than rounding, which may differ from step to step on a GPU.
constexpr double kLeastDifference = 1e-6;

CheckRow moment(const std::string& name, double found, double expected, double deviation) {
  return compared(name, std::abs(found - expected), kDeviations * deviation,
                  fmt::format("{:.5f} of {} numbers, {} expected", found, kCount, expected));
}

CheckRows moments(const at::Tensor& numbers) {
  const double count = static_cast<double>(kCount);
  const at::Tensor values = numbers.to(at::kCPU).to(at::kDouble);
  const double mean = values.mean().item<double>();
  const double variance = values.var().item<double>();
  return {moment("mean", mean, 0, 1 / std::sqrt(count)),
          moment("variance", variance, 1, std::sqrt(2 / count))};
}

/// A step that changes no parameter.
class NoUpdate : public Step {
 public:
  at::Tensor minimise(std::size_t /*group*/, const std::function<at::Tensor()>& loss) override {
    return loss().detach();
  }
};

std::vector<double> figures(Model& model, const Batch& batch) {
  NoUpdate step;
  const Results results = model.train_step(batch, step);
  const at::Tensor sums = metric_sums(model, results, batch.inputs.size(0)).to(at::kCPU).to(at::kDouble);
  return {sums.const_data_ptr<double>(), sums.const_data_ptr<double>() + sums.numel()};
}

/// Nothing but the noise differs between two steps on one batch.
CheckRow of_model(const ModelEntry& entry, const Json& trajectory, c10::Device place) {
  at::manual_seed(1);
  const auto model = entry.build(all_sizes(entry, {}));
  model->to(place);
  model->train();
  const Batch host = trajectory_batch(entry.spec, trajectory, 0);
  const Batch batch{host.inputs.to(place), host.targets.to(place)};
  const auto first = figures(*model, batch);
  const auto second = figures(*model, batch);
  double difference = 0;
  for (std::size_t i = 0; i < first.size(); ++i)
    difference = std::max(difference, relative_difference(second[i], first[i]));
  return decided(entry.name, difference > kLeastDifference,
                 fmt::format("figures of two steps on one batch are {:.1e} apart", difference));
}

CheckRows run(Subject& subject) {
  CheckRows rows = moments(subject.noise(kCount));
  const c10::Device place(subject.device.name());
  for (const ModelEntry& entry : subject.models) {
    // Those that learn images themselves make them of noise.
    const auto trajectory = trajectory_of(entry.name);
    if (entry.spec.task == Task::kImages && trajectory) rows.push_back(of_model(entry, *trajectory, place));
  }
  return rows;
}

}  // namespace

CheckEntry check_noise() {
  return {"noise", "normally distributed numbers are so, and models draw new ones in each step", run};
}

}  // namespace gpubench
