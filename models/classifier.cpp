#include "classifier.h"

#include <ATen/ops/argmax.h>
#include <ATen/ops/stack.h>
#include <torch/nn/functional/loss.h>

namespace gpubench {
namespace {

/// Mean loss and logits of a batch to {loss, accuracy}, summed over its samples.
at::Tensor scores(const at::Tensor& loss, const at::Tensor& logits, const at::Tensor& targets) {
  const at::Tensor correct = logits.argmax(1).eq(targets).sum().to(at::kFloat);
  return at::stack({loss * targets.size(0), correct});
}

class Classifier : public Model {
 public:
  explicit Classifier(torch::nn::Sequential network)
      : network_(register_module("network", std::move(network))) {}

  std::vector<ParameterGroup> parameter_groups() override {
    return {{"network", parameters(), AdamRecipe{}}};
  }

  std::vector<std::string> metrics() const override { return {"loss", "accuracy"}; }

  at::Tensor train_step(const Batch& batch, Step& step) override {
    at::Tensor logits;
    const at::Tensor loss = step.minimise(0, [&] {
      logits = network_->forward(batch.inputs);
      return torch::nn::functional::cross_entropy(logits, batch.targets);
    });
    return scores(loss, logits.detach(), batch.targets);
  }

  at::Tensor evaluate(const Batch& batch) override {
    const at::Tensor logits = network_->forward(batch.inputs);
    return scores(torch::nn::functional::cross_entropy(logits, batch.targets), logits, batch.targets);
  }

 private:
  torch::nn::Sequential network_;
};

}  // namespace

std::shared_ptr<Model> make_classifier(torch::nn::Sequential network) {
  return std::make_shared<Classifier>(std::move(network));
}

}  // namespace gpubench
