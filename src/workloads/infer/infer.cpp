// Inference: forward passes in evaluation mode, without gradients and losses.

#include <algorithm>
#include <cmath>
#include <optional>

#include <ATen/record_function.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include "workloads/infer/fusion.h"
#include "workloads/profile/sums.h"
#include "workloads/steps/steps.h"
#include "workloads/train/optimizer/optimizer.h"

namespace gpubench {
namespace {

class Inference : public Steps {
 public:
  Inference(Model& model, const TrainPoint& asked, c10::Device device)
      : Steps(model, asked, device),
        autocast_type_(find_numerics(asked.mode.precision).autocast),
        fusion_(model, autocast_type_.value_or(find_numerics(asked.mode.precision).type)) {}

  /// Keeps one autocast scope, which converts each parameter once.
  void queue_epoch(BatchSource& source, const OnSteps& on_steps) override {
    const Autocast autocast(device_.type(), autocast_type_);
    Steps::queue_epoch(source, on_steps);
  }

  void begin_epoch(std::int64_t /*samples*/) override { model_.eval(); }

  using Steps::run_step;
  void run_step(const Batch& batch, std::int64_t /*samples*/) override {
    const c10::InferenceMode mode;
    RECORD_USER_SCOPE(kForwardScope);
    output_.reset();  // Frees its memory for the next output.
    inputs_ = batch.inputs;
    output_ = predict(inputs_);
  }

  void discard_step() override {
    inputs_.reset();
    output_.reset();
  }
  std::vector<at::Tensor> state() const override { return model_.parameters(); }

  /// Returns the root mean square of the last output.
  std::vector<double> epoch_figures() override {
    const c10::InferenceMode mode;
    return {output_.to(at::kFloat).square().mean().sqrt().item<double>()};
  }

  std::string find_fault(const NamedSeries& /*training*/, bool has_changed) override {
    if (has_changed) return "inference changed the parameters";
    if (!std::isfinite(epoch_figures().front())) return "an output is not finite";
    const c10::InferenceMode mode;
    const at::Tensor timed = output_.clone();
    const at::Tensor inputs = inputs_.clone();
    fusion_.exchange();
    const at::Tensor expected = predict(inputs);
    const double random = difference(expected, predict(inputs));
    fusion_.exchange();
    const double found = difference(expected, timed);
    const double tolerance = asked_.mode.precision == Precision::kFp32 ? 1e-3 : 0.1;
    if (random > 0 || found <= tolerance) return {};
    return fmt::format("the timed outputs differ from an untimed evaluation by {:.3g} of their norm", found);
  }

 private:
  at::Tensor predict(const at::Tensor& inputs) {
    const Autocast autocast(device_.type(), autocast_type_);
    return model_.predict(inputs);
  }

  static double difference(const at::Tensor& expected, const at::Tensor& found) {
    const auto norm = [](const at::Tensor& values) { return values.to(at::kFloat).norm().item<double>(); };
    return norm(found - expected) / std::max(norm(expected), 1e-30);
  }

  std::optional<at::ScalarType> autocast_type_;
  Fusion fusion_;
  at::Tensor inputs_;  // Inputs of the last step.
  at::Tensor output_;
};

}  // namespace

std::unique_ptr<Steps> make_infer_steps(Model& model, const TrainPoint& asked, c10::Device device,
                                        GradientExchange* /*exchange*/) {
  return std::make_unique<Inference>(model, asked, device);
}

}  // namespace gpubench
