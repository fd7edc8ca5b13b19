#include "tiny.h"

#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/linear.h>

#include "blocks.h"
#include "support/catch.h"
#include "support/train_grid.h"
#include "workloads/cases/runner.h"

namespace gpubench::test {
namespace {

class TinyModel : public Model {
 public:
  TinyModel() : layer_(register_module("layer", torch::nn::Linear(4, 3))) {}

  std::vector<ParameterGroup> parameter_groups() override {
    return {{"layer", parameters(), AdamRecipe{.learning_rate = 0.05}}};
  }
  std::vector<std::string> metrics() const override { return {"loss", "accuracy"}; }

  Results train_step(const Batch& batch, Step& step) override {
    at::Tensor logits;
    const at::Tensor loss = step.minimise(0, [&] { return compute_loss(batch, logits); });
    return {loss, logits.detach(), batch.targets};
  }

  at::Tensor predict(const at::Tensor& inputs) override { return layer_->forward(inputs.flatten(1)); }
  Results evaluate(const Batch& batch) override {
    at::Tensor logits;
    const at::Tensor loss = compute_loss(batch, logits);
    return {loss, logits, batch.targets};
  }

  at::Tensor score(const Results& results, std::int64_t samples) const override {
    return loss_and_correct(results[0] * samples, results[1].argmax(2), results[2]);
  }

 private:
  at::Tensor compute_loss(const Batch& batch, at::Tensor& logits) {
    logits = predict(batch.inputs);
    return torch::nn::functional::cross_entropy(logits, batch.targets);
  }

  torch::nn::Linear layer_;
};

std::shared_ptr<Model> build(const ModelSizes&) { return std::make_shared<TinyModel>(); }

const ModelEntry& model_entry() {
  static const ModelEntry entry = tiny_model();
  return entry;
}

const DatasetEntry& dataset_entry() {
  static const DatasetEntry entry = [] {
    DatasetEntry tiny{};
    tiny.name = "tiny-set";
    tiny.spec = tiny_spec();
    return tiny;
  }();
  return entry;
}

}  // namespace

DataSpec tiny_spec() { return {Task::kClassification, {1, 2, 2}, 3}; }

ModelEntry tiny_model() { return {"tiny", "", "tiny", tiny_spec(), "image", build}; }

Dataset tiny_dataset() { return make_synthetic(tiny_spec(), {50, 0, 20}, 1); }

Case tiny_case() {
  Case c;
  c.model = &model_entry();
  c.dataset = &dataset_entry();
  c.asked = points({{"device", "cpu"}, {"batch_size", "16"}, {"epochs", "3"}}).front();
  c.asked = with_length(c.asked);
  return c;
}

at::Tensor metric_sums(const Model& model, Results results, std::int64_t samples) {
  for (at::Tensor& result : results) result = result.unsqueeze(0);
  return model.score(results, samples).squeeze(0);
}

bool has_cuda(int devices) {
  std::string why_not;
  const int count = device_kinds().require("cuda", "").count(why_not);
  if (count >= devices) return true;
  WARN("skipped: " << (count > 0 ? "there is one NVIDIA GPU alone" : why_not));
  return false;
}

CaseRecord run_network(const std::string& model, const TrainingMode& mode, std::int64_t batch_size,
                       std::int64_t samples, Device& device, const std::optional<RankContext>& context) {
  TrainPoint point = points({{"epochs", "3"}}).front();
  point.model = model;
  point.device = device.name();
  point.batch_size = batch_size;
  point.mode = mode;
  Case c = make_case(point, models(), datasets());
  c.rank_context = context;
  const DataSpec spec = make_spec(c);
  const bool is_text = spec.task == Task::kLanguage;
  const std::int64_t length = is_text ? spec.sample_shape.front() : 1;
  const SplitSizes sizes{samples * length + (is_text ? 1 : 0), 0, 32 * length + (is_text ? 1 : 0)};
  CountingMonitor monitor;
  return run_case(c, arrange(make_synthetic(c.dataset->spec, sizes, 1), spec, 1), device, SteadyClock(),
                  monitor);
}

}  // namespace gpubench::test
