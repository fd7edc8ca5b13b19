#include <array>

#include <fmt/format.h>

#include "engine/torch/failure.h"
#include "engine/torch/tf32.h"
#include "workloads/selftest/check.h"
#include "workloads/train/trainer.h"

namespace gpubench::numerics_plugin {
namespace {

constexpr int kSteps = 5;

/// Reference training: one model per kind of layer.
struct Reference {
  const char* model;
  double learning_rate;  ///< 0: the model's default. Smaller if default steps amplify rounding errors.
  std::int64_t samples;
  /// Largest relative difference of losses. Devices add fp32 in different orders, and every step amplifies
  /// the difference, most of all batch normalization (1.8e-3 measured on a CPU).
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
  Trainer trainer(*model, {.batch_size = reference.samples, .learning_rate = reference.learning_rate}, place);
  std::vector<double> found;
  for (int step = 0; step < kSteps; ++step) {
    trainer.begin_epoch(reference.samples);
    switch_dropout_off(*model);
    trainer.run_step(samples.slice(0, reference.samples));
    found.push_back(trainer.epoch_figures().front());
  }
  return found;
}

CheckRows check_losses(Subject& subject) {
  CheckRows rows;
  for (const Reference& reference : kReferences) {
    if (subject.models.find(reference.model) == nullptr) continue;
    const std::vector<double> expected = losses(subject, reference, c10::kCPU, at::kDouble);
    const double difference =
        largest_difference(losses(subject, reference, subject.place(), at::kFloat), expected);
    rows.push_back(compared(reference.model, difference, reference.tolerance,
                            fmt::format("losses differ by at most {:.1e}", difference)));
  }
  return rows;
}

constexpr std::int64_t kSize = 256;

/// Expected relative error of a product of normally distributed matrices, compared with fp64.
struct Product {
  const char* name;
  at::ScalarType type;
  bool allows_tf32;
  double least;  ///< A smaller error would be that of a more precise type.
  double most;
};
constexpr std::array<Product, 5> kProducts{{{"fp32", at::kFloat, false, 1e-9, 5e-6},
                                            {"tf32", at::kFloat, true, 5e-5, 5e-3},
                                            {"bf16", at::kBFloat16, false, 3e-4, 2e-2},
                                            {"fp16", at::kHalf, false, 3e-5, 3e-3},
                                            {"fp64", at::kDouble, false, 0, 1e-12}}};

CheckRow check(Subject& subject, const Product& product, const at::Tensor& a, const at::Tensor& b) {
  const std::string what = std::string("product ") + product.name;
  const c10::Device place = subject.place();
  if (product.allows_tf32 && !has_tf32(place)) return unchecked(what, "this device has no TF32 products");
  const at::Tensor exact = at::mm(a.to(product.type).to(at::kDouble), b.to(product.type).to(at::kDouble));
  at::Tensor found;
  try {
    found = subject.product(a.to(place, product.type), b.to(place, product.type), product.allows_tf32);
  } catch (const std::exception& error) {
    return unchecked(what, classify(error).message);
  }
  const double difference =
      found.to(at::kCPU).to(at::kDouble).sub(exact).norm().item<double>() / exact.norm().item<double>();
  const auto text = fmt::format("error {:.1e} compared with fp64; expected {:.0e} to {:.0e}", difference,
                                product.least, product.most);
  if (difference < product.least) return failed(what, text);
  return compared(what, difference, product.most, text);
}

/// Models with the largest relative difference of their losses. A wrong update exceeds it by far.
constexpr std::pair<const char*, double> kModels[] = {{"cnn", 0.05}, {"lstm", 0.05}, {"mlp", 0.1}};
constexpr std::array kPrecisions{Precision::kTf32, Precision::kBf16, Precision::kFp16, Precision::kAmpBf16,
                                 Precision::kAmpFp16};

CheckRow check(Subject& subject, const std::string& model, Precision precision, double tolerance,
               const std::vector<double>& expected) {
  const std::string what = model + " " + to_string(precision);
  SmallTraining training{.model = model};
  training.mode.precision = precision;
  const CheckRow row = compared_losses(subject, what, training, expected, tolerance);
  if (row.deviation != Measured<double>(0.0)) return row;
  return failed(what, "losses equal those of fp32: the precision has no effect");
}

CheckRows check_precisions(Subject& subject) {
  at::manual_seed(1);
  const auto matrix = [] { return at::randn({kSize, kSize}, at::kDouble).to(at::kFloat); };
  const at::Tensor a = matrix();
  const at::Tensor b = matrix();
  CheckRows rows;
  for (const Product& product : kProducts) rows.push_back(check(subject, product, a, b));
  for (const auto& [model, tolerance] : kModels) {
    if (subject.models.find(model) == nullptr) continue;
    const std::vector<double> expected = list_losses(train(subject, {.model = model}));
    for (const Precision precision : kPrecisions)
      rows.push_back(check(subject, model, precision, tolerance, expected));
  }
  return rows;
}

}  // namespace

CheckEntry entry_losses() {
  return {{"losses", "losses of fp32 training match fp64 on the CPU"}, check_losses};
}

CheckEntry entry_precisions() {
  return {
      {"precisions", "products have the rounding error of their type, and losses agree across precisions"},
      check_precisions};
}

}  // namespace gpubench::numerics_plugin
