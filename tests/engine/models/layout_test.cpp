#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/conv.h>

#include "blocks.h"
#include "support/catch.h"
#include "tiny.h"
#include "workloads/cases/runner.h"
#include "workloads/cases/session.h"
#include "workloads/train/trainer.h"

namespace gpubench::test::layout_test {

namespace {

enum class Fault { kNone, kForward, kBackward };

/// Convolution after dropout, with wrong results or gradients for channels-last.
class FaultyModel : public Model {
 public:
  explicit FaultyModel(Fault fault)
      : fault_(fault),
        dropout_(register_module("dropout", Dropout(0.5))),
        layer_(register_module("layer", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 3, 2)))) {}

  std::vector<ParameterGroup> parameter_groups() override { return {{"layer", parameters(), AdamRecipe{}}}; }
  std::vector<std::string> metrics() const override { return {"loss"}; }

  Results train_step(const Batch& batch, Step& step) override {
    return {step.minimise(0, [&] { return compute_loss(batch); })};
  }

  at::Tensor predict(const at::Tensor& inputs) override { return inputs; }
  Results evaluate(const Batch& batch) override { return {compute_loss(batch)}; }

 private:
  at::Tensor compute_loss(const Batch& batch) {
    const at::Tensor logits = layer_->forward(dropout_->forward(batch.inputs)).flatten(1);
    const at::Tensor loss = torch::nn::functional::cross_entropy(logits, batch.targets);
    if (batch.inputs.suggest_memory_format() != at::MemoryFormat::ChannelsLast) return loss;
    if (fault_ == Fault::kForward) return loss * 1.5;
    return fault_ == Fault::kBackward ? loss * 1.5 - loss.detach() * 0.5 : loss;
  }

  Fault fault_;
  Dropout dropout_;
  torch::nn::Conv2d layer_;
};

template <Fault fault>
std::shared_ptr<Model> build(const ModelSizes&) {
  return std::make_shared<FaultyModel>(fault);
}

CaseRecord run_with(std::shared_ptr<Model> (*build)(const ModelSizes&), Device& device,
                    const ResolvedModes& tried = {}) {
  const ModelEntry faulty{"faulty", "", "faulty", tiny_spec(), "image", build};
  Case c = tiny_case();
  c.model = &faulty;
  c.tried = tried;
  CountingMonitor monitor;
  return run_case(c, tiny_dataset(), device, SteadyClock(), monitor);
}

ResolvedModes earlier() {
  return {Choice<Layout>{Layout::kChannelsLast, "by an earlier trial"},
          Choice<Execution>{Execution::kAuto, {}}};
}

CaseRecord run(const std::string& model, Layout layout) {
  CountingDevice device;
  return run_network(model, {.layout = layout}, 16, 48, device);
}

}  // namespace

TEST_CASE("channels-last images have the same values and strides of their own, even for one channel") {
  const DataSpec spec{Task::kClassification, {GENERATE(1, 3), 4, 6}, 3};
  const Dataset data = make_synthetic(spec, {10, 0, 0}, 1);
  const ResidentSplit plain(data.train, 0, at::kCPU);
  const ResidentSplit last(data.train, 0, at::kCPU, {at::kFloat, true});
  const at::Tensor images = last.gather(at::arange(3, 7)).inputs;
  CHECK(images.equal(plain.gather(at::arange(3, 7)).inputs));
  CHECK(images.suggest_memory_format() == at::MemoryFormat::ChannelsLast);
  CHECK(images.stride(1) == 1);
}

TEST_CASE("auto times both layouts, or uses the choice of an earlier trial") {
  const CaseRecord first = run("cnn", Layout::kAuto);
  REQUIRE(first.status == RowStatus::kOk);
  CHECK_THAT(first.layout_note, contains_text("ms per step in a trial"));
  CHECK(first.timeline.front().name == "layout trial");
  CountingDevice device;
  const CaseRecord second = run_with(build<Fault::kNone>, device, earlier());
  CHECK(second.layout_used.value() == "channels-last");
  CHECK(second.layout_note == "by an earlier trial");
  CHECK(second.timeline.front().name == "build");
}

TEST_CASE("auto is nchw with a reason on devices without channels-last, despite an earlier trial") {
  struct WrongInChannelsLast : CountingDevice {
    std::string why_no_channels_last() const override { return "its gradients are wrong"; }
  } device;
  const CaseRecord record = run_with(build<Fault::kNone>, device, {earlier().layout, {}});
  CHECK(record.layout_used.value() == "nchw");
  CHECK(record.layout_note == "its gradients are wrong");
  CHECK(run_network("mlp", {.layout = Layout::kAuto}, 16, 48, device).layout_note.empty());
}

TEST_CASE("auto rejects a layout with different results, even if it is faster") {
  CountingDevice device;
  const CaseRecord wrong = run_with(build<Fault::kForward>, device);
  CHECK(wrong.layout_used.value() == "nchw");
  CHECK_THAT(wrong.layout_note, contains_text("channels-last has different results: the loss differs"));
  const CaseRecord misled = run_with(build<Fault::kBackward>, device);
  CHECK(misled.layout_used.value() == "nchw");
  CHECK_THAT(misled.layout_note, contains_text("the gradient of layer."));
}

TEST_CASE("dropout of different elements does not reject a layout") {
  CountingDevice device;
  CHECK_THAT(run_with(build<Fault::kNone>, device).layout_note, contains_text("ms per step in a trial"));
}

}  // namespace gpubench::test::layout_test
