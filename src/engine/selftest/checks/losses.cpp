#include <fmt/format.h>

#include "engine/selftest/check.h"
#include "engine/torch/tf32.h"
#include "engine/training/input/batch_source.h"
#include "engine/training/trainer.h"

namespace gpubench::losses_plugin {
namespace {

constexpr int kSteps = 5;

/// A model for each kind of layer.
struct Reference {
  const char* model;
  double learning_rate;  ///< 0: the recipe's own; smaller if steps of the recipe magnify rounding.
  std::int64_t samples;
  /// Each device adds fp32 in its own order, and every step magnifies the difference, most of all batch
  /// normalization (1.8e-3 measured on a CPU).
  double tolerance;
};
constexpr Reference kReferences[] = {{"mlp", 0, 8, 5e-4},
                                     {"cnn", 0, 8, 5e-4},
                                     {"lstm", 0, 8, 5e-4},
                                     {"transformer_lm", 0.2, 8, 5e-4},
                                     {"resnet50", 1e-6, 32, 1e-2}};

/// Returns the loss of each step on one batch, without dropout.
std::vector<double> losses(Subject& subject, const Reference& reference, c10::Device place,
                           at::ScalarType type) {
  const ModelEntry& entry = *subject.models.find(reference.model);
  allow_tf32(false);
  at::manual_seed(1);
  const auto model = entry.build(all_sizes(entry, {}));
  model->to(place, type);
  const Dataset data = subject.means.make_data(entry.spec, {reference.samples, 0, 0});
  const ResidentSplit samples(data.train, 0, place, {.type = type});
  Trainer trainer(*model, make_step_point(reference.samples, reference.learning_rate), place);
  std::vector<double> found;
  for (int step = 0; step < kSteps; ++step) {
    trainer.begin_epoch(reference.samples);
    switch_dropout_off(*model);
    trainer.train_on(samples.slice(0, reference.samples));
    found.push_back(trainer.epoch_metrics().front());
  }
  return found;
}

CheckRows run(Subject& subject) {
  CheckRows rows;
  for (const Reference& reference : kReferences) {
    if (subject.models.find(reference.model) == nullptr) continue;
    const std::vector<double> expected = losses(subject, reference, c10::kCPU, at::kDouble);
    const double difference =
        largest_difference(losses(subject, reference, subject.place(), at::kFloat), expected);
    rows.push_back(compared(reference.model, difference, reference.tolerance,
                            fmt::format("losses differ by {:.1e} at most", difference)));
  }
  return rows;
}

}  // namespace

CheckEntry entry_losses() {
  return {"losses", "training steps in fp32 have the losses of fp64 on the CPU", run};
}

}  // namespace gpubench::losses_plugin
