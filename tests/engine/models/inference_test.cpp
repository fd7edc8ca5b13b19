// Inference: forward passes over the test split.

#include <c10/core/InferenceMode.h>

#include "generative.h"
#include "gpubench/record/derived.h"
#include "support/catch.h"
#include "support/fake_clock.h"
#include "tiny.h"
#include "workloads/cases/runner.h"
#include "workloads/cases/session.h"
#include "workloads/infer/fusion.h"

namespace gpubench::test::inference_test {
namespace {

Case inference_case(const char* protocol) {
  Case c = tiny_case();
  c.asked.protocol = protocol;
  if (c.is_single_stream()) c.asked.batch_size = 1;
  return c;
}

CaseRecord run(const Case& c, CountingDevice& device) {
  CountingMonitor monitor;
  return run_case(c, with_timed_split(c, tiny_dataset()), device, TickingClock(), monitor);
}

}  // namespace

TEST_CASE("inference times passes over the test split and changes no parameter") {
  CountingDevice device;
  const CaseRecord record = run(inference_case("offline"), device);
  INFO(record.status_reason);
  CHECK(record.status == RowStatus::kOk);
  CHECK(record.train_samples == 20);
  CHECK(record.steps_per_epoch == 2);
  CHECK(record.epoch_seconds.size() == 3);
  CHECK(record.trained_steps == 0);
  CHECK(record.training.empty());
  CHECK(record.test.reason() == "the workload has no metrics");
  // A forward pass of the linear layer with 4 inputs and 3 outputs.
  CHECK(record.train_flop_per_sample.value() == 2 * 4 * 3);
}

TEST_CASE("single-stream waits for each sample and times it") {
  CountingDevice device;
  const CaseRecord record = run(inference_case("single-stream"), device);
  INFO(record.status_reason);
  REQUIRE(record.status == RowStatus::kOk);
  CHECK(record.block_seconds.size() == 3 * 20);
  CHECK(device.synchronizations >= 3 * 20);
  CHECK(step_quantile(record, 0.99).value() == 1);
}

TEST_CASE("recorded inference has the outputs and the time stamps of eager inference") {
  for (const char* protocol : {"offline", "single-stream"}) {
    Case c = inference_case(protocol);
    c.asked.mode.execution = Execution::kGraph;
    RepeatingDevice device;
    const CaseRecord record = run(c, device);
    INFO(record.status_reason);
    CHECK(record.status == RowStatus::kOk);
    CHECK(record.execution_used == Measured<std::string>("graph"));
    CHECK(record.block_seconds.size() == (c.is_single_stream() ? 60 : 6));
  }
}

TEST_CASE("fused layers have the outputs of the original ones, in every layout") {
  const c10::InferenceMode mode;
  for (const char* name : {"cnn", "mlp", "siamese", "resnet50"}) {
    for (const bool is_channels_last : {false, true}) {
      const auto model = built(name);
      for (const at::Tensor& values : model->buffers()) {
        if (at::isFloatingType(values.scalar_type())) values.uniform_(0.5, 2);
      }
      for (const at::Tensor& parameter : model->parameters()) {
        if (parameter.dim() == 1) parameter.uniform_(0.5, 1.5);
      }
      to_device(*model, at::kCPU, {.is_channels_last = is_channels_last});
      model->eval();
      at::Tensor inputs = random_batch(name, 3).inputs;
      if (is_channels_last) inputs = inputs.contiguous(at::MemoryFormat::ChannelsLast);
      const at::Tensor plain = model->predict(inputs);
      INFO(name << (is_channels_last ? ", channels last" : ""));
      {
        const Fusion fusion(*model, at::kFloat);
        const at::Tensor fused = model->predict(inputs);
        // Folding rounds differently, which shows that layers were fused.
        if (!model->buffers().empty()) CHECK_FALSE(fused.equal(plain));
        CHECK(fused.allclose(plain, 1e-3, 1e-3 * plain.abs().max().item<double>()));
      }
      CHECK(model->predict(inputs).equal(plain));
    }
  }
}

TEST_CASE("a classifier predicts the logits that evaluation scores") {
  const at::NoGradGuard no_grad;
  for (const char* name : {"mlp", "cnn", "lstm", "resnet50", "siamese"}) {
    const auto model = built(name);
    model->eval();
    const Batch batch = random_batch(name, 3);
    INFO(name);
    CHECK(model->predict(batch.inputs).equal(model->evaluate(batch).at(1)));
  }
}

TEST_CASE("a language model predicts the logits whose loss it evaluates") {
  const at::NoGradGuard no_grad;
  for (const char* name : {"transformer_lm", "gpt2"}) {
    const auto model = built(name);
    model->eval();
    const Batch batch = random_batch(name, 3);
    const at::Tensor logits = model->predict(batch.inputs).flatten(0, 1);
    INFO(name);
    CHECK(model->evaluate(batch).front().item<double>() ==
          approx(at::cross_entropy_loss(logits, batch.targets.flatten()).item<double>()).epsilon(1e-5));
  }
}

}  // namespace gpubench::test::inference_test
