#include <fmt/format.h>

#include "engine/selftest/checks/entries.h"
#include "engine/selftest/trajectory.h"
#include "engine/training/trainer.h"
#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

constexpr std::size_t kSteps = 2;

/// Names of parameters that a few steps leave as they were.
std::vector<std::string> unchanged(const ModelEntry& entry, const Json& trajectory, c10::Device place) {
  at::manual_seed(1);
  const auto model = entry.build(all_sizes(entry, {}));
  model->to(place);
  const std::int64_t samples = trajectory.at("batch_size");
  Trainer trainer(*model, {samples, 0, {}}, place);
  const auto before =
      mapped(model->parameters(), [](const at::Tensor& each) { return each.detach().clone(); });
  for (std::size_t step = 0; step < kSteps; ++step) {
    const Batch batch = trajectory_batch(entry.spec, trajectory, step);
    trainer.begin_epoch(samples);
    trainer.train_on({batch.inputs.to(place), batch.targets.to(place)});
  }
  std::vector<std::string> names;
  std::size_t number = 0;
  for (const auto& named : model->named_parameters()) {
    if (named.value().equal(before.at(number++))) names.push_back(named.key());
  }
  return names;
}

CheckRows run(Subject& subject) {
  CheckRows rows;
  for (const ModelEntry& entry : subject.models) {
    const auto trajectory = trajectory_of(entry.name);
    if (!trajectory) continue;
    const auto names = unchanged(entry, *trajectory, c10::Device(subject.device.name()));
    rows.push_back(names.empty() ? passed(entry.name, "all were changed")
                                 : failed(entry.name, fmt::format("{} were not changed, among them {}",
                                                                  names.size(), names.front())));
  }
  return rows;
}

}  // namespace

CheckEntry check_updates() { return {"updates", "optimisers change every parameter of each model", run}; }

}  // namespace gpubench
