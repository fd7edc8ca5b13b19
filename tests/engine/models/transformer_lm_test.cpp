#include <cmath>

#include <ATen/ops/isfinite.h>
#include <ATen/ops/randint.h>

#include "engine/api/model_cost.h"
#include "generative.h"
#include "gpubench/core/error.h"
#include "support/catch.h"
#include "workloads/cases/session.h"
#include "workloads/train/trainer.h"

namespace gpubench::test::transformer_lm_test {

namespace {

constexpr std::int64_t kVocabulary = 33278;
constexpr std::int64_t kIgnored = -100;  // Target that LibTorch's cross-entropy ignores.
const ModelSizes kSmall = {{"embedding", 8}, {"hidden", 12}, {"layers", 2}, {"heads", 2}, {"bptt", 6}};

const ModelEntry& entry() { return models().require("transformer_lm", ""); }

std::shared_ptr<Model> built_at(const ModelSizes& sizes) {
  at::manual_seed(1);
  return entry().build(all_sizes(entry(), sizes));
}

Batch text(std::int64_t sequences, std::int64_t length) {
  at::manual_seed(2);
  return {at::randint(kVocabulary, {sequences, length}, at::kLong),
          at::randint(kVocabulary, {sequences, length}, at::kLong)};
}

/// Returns the training loss of the tokens before `end`, with the same dropout in every call.
float training_loss_before(Model& model, Batch batch, std::int64_t end) {
  batch.targets = batch.targets.clone();
  batch.targets.slice(1, end).fill_(kIgnored);
  Descent step(model, 0);
  model.train();
  return value(seeded_step(model, batch, step), 0);
}

float evaluated_loss_before(Model& model, Batch batch, std::int64_t end) {
  batch.targets = batch.targets.clone();
  batch.targets.slice(1, end).fill_(kIgnored);
  return value(evaluation_sums(model, batch), 0);
}

}  // namespace

TEST_CASE("the published sizes of the language model have the published numbers of parameters") {
  struct Size {
    std::int64_t embedding, hidden, layers, parameters;
  };
  // Parameters per layer: 4 d (d + 1) in attention, d h + h and h d + d in dense layers, 4 d in two norms.
  const auto expected = [](const Size& s) {
    const std::int64_t d = s.embedding;
    const std::int64_t layer = 4 * d * (d + 1) + 2 * d * s.hidden + s.hidden + d + 4 * d;
    return 2 * kVocabulary * d + kVocabulary + s.layers * layer;
  };
  for (const Size& size :
       {Size{200, 200, 2, 13828478}, Size{500, 500, 2, 36321278}, Size{500, 500, 4, 39331278},
        Size{500, 1024, 6, 45488422}, Size{500, 1024, 10, 53606518}}) {
    INFO(size.embedding << "/" << size.hidden << "/" << size.layers);
    const auto model =
        built_at({{"embedding", size.embedding}, {"hidden", size.hidden}, {"layers", size.layers}});
    CHECK(expected(size) == size.parameters);
    CHECK(count_parameters(*model) == size.parameters);
  }
}

TEST_CASE("a token of the language model affects its own and later positions only") {
  const auto model = built_at(kSmall);
  const Batch batch = text(2, 6);
  for (std::int64_t changed = 1; changed < 6; ++changed) {
    INFO("token " << changed);
    Batch other = batch;
    other.inputs = batch.inputs.clone();
    other.inputs.select(1, changed).add_(1).remainder_(kVocabulary);
    for (const auto loss_before : {evaluated_loss_before, training_loss_before}) {
      CHECK(loss_before(*model, other, changed) == loss_before(*model, batch, changed));
      CHECK(loss_before(*model, other, changed + 1) != loss_before(*model, batch, changed + 1));
    }
    // It affects every later token.
    Batch last = batch;
    last.targets = batch.targets.clone();
    last.targets.slice(1, 0, 5).fill_(kIgnored);
    other.targets = last.targets;
    CHECK_FALSE(evaluation_sums(*model, other).equal(evaluation_sums(*model, last)));
  }
}

TEST_CASE("the language model uses dropout in training only") {
  const auto model = built_at(kSmall);
  const Batch batch = text(4, 6);
  Descent step(*model, 0);
  model->train();
  const at::Tensor first = seeded_step(*model, batch, step);
  CHECK_FALSE(step_sums(*model, batch, step).equal(first));
  CHECK(seeded_step(*model, batch, step).equal(first));
  CHECK(first.allclose(evaluation_sums(*model, batch), 0.05));
}

TEST_CASE("the language model has the initial weights and the recipe of the example") {
  const auto model = built_at(kSmall);
  auto parameters = model->named_parameters();
  const auto largest = [&](const std::string& name) { return parameters[name].abs().max().item<double>(); };
  for (const char* const name : {"embedding.weight", "decoder.weight"}) {
    CHECK(largest(name) <= 0.1);
    CHECK(largest(name) > 0.0999);
  }
  const double bound = std::sqrt(6.0 / (8 + 24));
  CHECK(largest("layer1.attention.in_projection.weight") <= bound);
  CHECK(largest("layer1.attention.in_projection.weight") > 0.9 * bound);
  for (const char* const name :
       {"decoder.bias", "layer2.attention.in_projection.bias", "layer2.attention.out_projection.bias"}) {
    CHECK(largest(name) == 0);
  }
  CHECK(largest("layer1.expansion.bias") > 0);

  const auto groups = model->parameter_groups();
  REQUIRE(groups.size() == 1);
  CHECK(std::get<SgdRecipe>(groups.front().recipe).learning_rate == 20);
  CHECK(groups.front().clip_norm == 0.25);
  CHECK(groups.front().epoch_decay == 1);
}

TEST_CASE("the language model accepts numbers of heads that divide the embedding") {
  for (const ModelSizes& sizes : {ModelSizes{{"embedding", 9}, {"heads", 3}, {"bptt", 1}},
                                  ModelSizes{{"embedding", 5}, {"heads", 1}, {"bptt", 50}}}) {
    const auto model = built_at(sizes);
    const std::int64_t length = spec_at(entry(), sizes).sample_shape.front();
    CHECK(length == sizes.at("bptt"));
    CHECK(value(evaluation_sums(*model, text(2, length)), 0) ==
          approx(2 * std::log(kVocabulary)).epsilon(0.05));
  }
  try {
    built_at({{"embedding", 200}, {"heads", 3}});
    FAIL("200 numbers were split among 3 heads");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    CHECK_THAT(error.what(), contains_text("--model-arg heads=3") && contains_text("embedding=200"));
  }
}

TEST_CASE("the language model trains in bf16 and under autocast, with sums in fp32") {
  const auto precision = GENERATE(at::kFloat, at::kBFloat16);
  const auto model = built_at(kSmall);
  to_device(*model, at::kCPU, {precision, false});
  const Batch batch = text(2, 6);
  Descent step(*model, 1e-3);
  const auto check = [](const at::Tensor& sums) {
    CHECK(sums.sizes() == at::IntArrayRef{1});
    CHECK(sums.scalar_type() == at::kFloat);
    CHECK_FALSE(sums.requires_grad());
    CHECK(value(sums, 0) == approx(2 * std::log(kVocabulary)).epsilon(0.05));
  };
  model->train();
  check(seeded_step(*model, batch, step));
  check(evaluation_sums(*model, batch));
  const Autocast autocast(at::kCPU, at::kBFloat16);
  model->train();
  check(seeded_step(*model, batch, step));
  check(evaluation_sums(*model, batch));
}

}  // namespace gpubench::test::transformer_lm_test
