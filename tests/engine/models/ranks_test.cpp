// Several ranks train like one. Here ranks are threads, each with its own backend.

#include <algorithm>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <torch/utils.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "rank_threads.h"
#include "support/catch.h"
#include "support/fake_clock.h"
#include "tiny.h"
#include "workloads/train/trainer.h"

namespace gpubench::test::ranks_test {

namespace {

constexpr int kSteps = 10;

/// Removes the noise of the autoencoder, so that codes are their means.
void silence(Model& model) {
  const at::NoGradGuard no_grad;
  for (auto& parameter : model.named_parameters()) {
    const std::string& name = parameter.key();
    if (name.find("log_variance") == std::string::npos) continue;
    parameter.value().fill_(name.ends_with("bias") ? -60 : 0);
  }
}

std::shared_ptr<Model> built(const ModelEntry& entry) {
  at::manual_seed(1);
  auto model = entry.build(all_sizes(entry, {}));
  silence(*model);
  return model;
}

/// The model with plain gradient descent. Adam divides gradients by their size, so gradients of mere rounding
/// would matter, and rounding depends on the sizes of products.
class WithDescent : public Model {
 public:
  explicit WithDescent(std::shared_ptr<Model> inner) : inner_(register_module("inner", std::move(inner))) {}

  std::vector<ParameterGroup> parameter_groups() override {
    auto groups = inner_->parameter_groups();
    for (ParameterGroup& group : groups) group.recipe = SgdRecipe{inner_->sums_losses() ? 1e-4 : 1e-2};
    return groups;
  }
  std::vector<std::string> metrics() const override { return inner_->metrics(); }
  bool sums_losses() const override { return inner_->sums_losses(); }
  Results train_step(const Batch& batch, Step& step) override { return inner_->train_step(batch, step); }
  at::Tensor predict(const at::Tensor& inputs) override { return inputs; }
  Results evaluate(const Batch& batch) override { return inner_->evaluate(batch); }
  at::Tensor score(const Results& results, std::int64_t samples) const override {
    return inner_->score(results, samples);
  }

 private:
  std::shared_ptr<Model> inner_;
};

at::Tensor flat(const Model& model) {
  return at::cat(mapped(model.parameters(), [](const at::Tensor& each) { return each.detach().flatten(); }));
}

/// Synthetic samples, and their arrangement for a model.
struct Samples {
  Samples(const ModelEntry& entry, std::int64_t count) {
    const DataSpec spec = spec_at(entry, {});
    const bool is_language = spec.task == Task::kLanguage;
    const std::int64_t tokens = is_language ? count * spec.sample_shape.front() + 1 : 0;
    made = is_language ? make_synthetic(datasets().require("wikitext2", "").spec, {tokens, 0, 0}, 3)
                       : make_synthetic(spec, {count, 0, 0}, 3);
    arranged = arrange(made, spec, 3);
  }

  Dataset made;
  Dataset arranged;
};

/// Runs ten steps of `batch` samples on this rank's share, with dropout off.
std::vector<double> train(Model& model, const Dataset& data, std::int64_t batch, RankGroup* ranks) {
  CountingDevice device;
  const SteadyClock clock;
  std::unique_ptr<GradientExchange> exchange;
  if (ranks != nullptr) {
    const auto groups = mapped(model.parameter_groups(), &ParameterGroup::parameters);
    exchange = std::make_unique<GradientExchange>(*ranks, groups, device, clock);
  }
  Trainer trainer(model, {.batch_size = batch}, at::kCPU, exchange.get());
  const SampleDraw draw{ranks != nullptr ? ranks->share() : RankShare{},
                        at::make_generator<at::CPUGeneratorImpl>(5)};
  ResidentSplit split(data.train, 0, at::kCPU, {}, draw);
  trainer.begin_epoch(split.size());
  model.eval();
  split.begin_epoch();
  for (int step = 0; step < kSteps; ++step) trainer.queue_next(split, batch);
  trainer.score_steps();
  return trainer.epoch_figures();
}

}  // namespace

TEST_CASE("ten steps of several ranks equal ten steps of one, with a share of the batch each") {
  const std::string name =
      GENERATE("mlp", "cnn", "lstm", "cnn0", "cnn1", "cnn2", "cnn3", "vae", "transformer_lm");
  const bool is_own_recipe = GENERATE(false, true);
  const ModelEntry& entry = models().require(name, "");
  const std::int64_t batch = name == "mlp" ? 13 : 12;  // 13 gives shares of different sizes.
  const Samples samples(entry, kSteps * batch);
  const Dataset& data = samples.arranged;
  const auto make = [&]() -> std::shared_ptr<Model> {
    auto model = built(entry);
    return is_own_recipe ? model : std::make_shared<WithDescent>(std::move(model));
  };
  const auto alone = make();
  const std::vector<double> metrics = train(*alone, data, batch, nullptr);
  for (const std::int64_t ranks :
       is_own_recipe ? std::vector<std::int64_t>{2} : std::vector<std::int64_t>{2, 3, 4}) {
    std::vector<std::shared_ptr<Model>> all;
    for (std::int64_t rank = 0; rank < ranks; ++rank) all.push_back(make());
    std::vector<std::vector<double>> theirs(all.size());
    on_ranks(ranks, [&](const RankContext& context) {
      at::set_num_threads(1);
      CaseMonitor monitor;
      RankGroup group(context, at::kCPU, monitor);
      const auto rank = static_cast<std::size_t>(context.rank);
      theirs[rank] = train(*all[rank], data, batch, &group);
    });
    INFO(name << " on " << ranks << " ranks" << (is_own_recipe ? "" : ", plain descent"));
    const float apart = flat(*alone).sub(flat(*all[0])).abs().max().item<float>();
    if (!is_own_recipe) CHECK(apart <= 1e-5F);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      CHECK(flat(*all[0]).equal(flat(*all[rank])));
      CHECK(theirs[rank] == theirs[0]);
    }
    for (std::size_t i = 0; i < metrics.size(); ++i)
      CHECK(std::abs(theirs[0][i] - metrics[i]) <= 1e-3 * std::max(1.0, std::abs(metrics[i])));
  }
}

namespace {

/// Model with a used and an unused parameter. Its loss is the mean or sum over the samples.
struct Pair : Model {
  Pair()
      : used(register_parameter("used", at::ones({3}))),
        unused(register_parameter("unused", at::ones({2}))) {}
  std::vector<ParameterGroup> parameter_groups() override {
    return {{"pair", {used, unused}, SgdRecipe{0.5}}};
  }
  std::vector<std::string> metrics() const override { return {"loss"}; }
  bool sums_losses() const override { return is_sum; }
  Results train_step(const Batch& batch, Step& step) override {
    return {step.minimise(0, [&] {
      const at::Tensor of_samples = batch.inputs.to(at::kFloat).mul(used.sum());
      return is_sum ? of_samples.sum() : of_samples.mean();
    })};
  }
  at::Tensor predict(const at::Tensor& inputs) override { return inputs; }
  Results evaluate(const Batch& /*batch*/) override { return {used.detach().sum()}; }

  at::Tensor used;
  at::Tensor unused;
  bool is_sum = false;
};

}  // namespace

TEST_CASE("gradients of means are weighted by shares, those of sums are added, missing ones stay missing") {
  const bool is_sum = GENERATE(false, true);
  const at::Tensor inputs = at::tensor({1.0F, 2.0F, 4.0F, 8.0F, 16.0F});
  const double mean_or_sum = is_sum ? 31 : 31 / 5.0;
  on_ranks(2, [&](const RankContext& context) {
    CaseMonitor monitor;
    CountingDevice device;
    const SteadyClock clock;
    RankGroup group(context, at::kCPU, monitor);
    Pair model;
    model.is_sum = is_sum;
    GradientExchange exchange(group, {{model.used, model.unused}}, device, clock);
    Trainer trainer(model, {.batch_size = 5}, at::kCPU, &exchange);
    trainer.begin_epoch(5);
    const RankShare share = group.share();
    const at::Tensor own = inputs.narrow(0, share.first(5), share.size(5));
    trainer.run_step({own, own}, 5);
    const double expected = 1 - 0.5 * mean_or_sum;
    if (std::abs(model.used[0].item<double>() - expected) > 1e-5) throw std::runtime_error("not as of all");
    if (model.unused[0].item<double>() != 1) throw std::runtime_error("changed without a gradient");
    if (exchange.bytes_per_step() != Bytes{20}) throw std::runtime_error("other bytes than 5 floats");
  });
}

TEST_CASE("a replayed epoch reports the waits of its recorded passes for all steps") {
  on_ranks(1, [](const RankContext& context) {
    CaseMonitor monitor;
    RankGroup group(context, at::kCPU, monitor);
    MarkingDevice device;
    const TickingClock clock;
    Pair model;
    GradientExchange exchange(group, {{model.used, model.unused}}, device, clock);
    if (exchange.waited(3).has_value()) throw std::runtime_error("has waited for nothing");
    const auto pass = [&] {
      model.zero_grad();
      exchange.open(0, 1);
      model.used.sum().backward();
      exchange.close();
    };
    for (int i = 0; i < 3; ++i) pass();
    if (exchange.waited(3) != Measured(Seconds{3})) throw std::runtime_error("three passes");
    exchange.begin_epoch();
    if (exchange.waited(6) != Measured(Seconds{6})) throw std::runtime_error("six replayed passes");
    exchange.begin_epoch();
    pass();
    if (exchange.waited(1) != Measured(Seconds{1})) throw std::runtime_error("one pass");
  });
}

TEST_CASE("ranks gather, compare texts, and have the values of rank 0 after a broadcast") {
  on_ranks(3, [](const RankContext& context) {
    CaseMonitor monitor;
    RankGroup group(context, at::kCPU, monitor);
    const auto rank = static_cast<double>(context.rank);
    if (group.gathered(10 * rank) != std::vector<double>{0, 10, 20}) throw std::runtime_error("gathered");
    if (group.maxima({rank, -rank}) != std::vector<double>{2, 0}) throw std::runtime_error("maxima");
    if (!group.agree_on("the same")) throw std::runtime_error("agree");
    if (group.agree_on("rank " + std::to_string(context.rank / 2))) throw std::runtime_error("disagree");
    at::Tensor tensor = at::ones({4, 2}).mul(rank).t();
    group.broadcast({tensor});
    if (tensor.abs().max().item<double>() != 0) throw std::runtime_error("broadcast");
  });
}

TEST_CASE("a missing or leaving rank is a lost connection for the others") {
  const auto begin = SteadyClock().now();
  CHECK_THROWS_AS(on_ranks(
                      2,
                      [](const RankContext& context) {
                        if (context.rank == 1) return;
                        CaseMonitor monitor;
                        RankGroup group(context, at::kCPU, monitor);
                      },
                      Seconds{2}),
                  LostConnection);
  CHECK_THROWS_AS(on_ranks(2,
                           [](const RankContext& context) {
                             CaseMonitor monitor;
                             RankGroup group(context, at::kCPU, monitor);
                             if (context.rank == 0) group.barrier();
                           }),
                  LostConnection);
  CHECK((SteadyClock().now() - begin).value < 60);
}

}  // namespace gpubench::test::ranks_test
