#include <torch/library.h>
#include <torch/optim/adam.h>

#include "engine/training/optimizer/optimizer.h"
#include "optimizer_problem.h"

namespace gpubench::test::adam_test {

namespace {

Tensors reference(const Problem& problem, const AdamRecipe& recipe, double epoch_decay = 1) {
  Tensors parameters = problem.parameters();
  torch::optim::Adam adam(parameters, torch::optim::AdamOptions(recipe.learning_rate)
                                          .betas({recipe.beta1, recipe.beta2})
                                          .eps(recipe.epsilon));
  auto& options = static_cast<torch::optim::AdamOptions&>(adam.param_groups().front().options());
  problem.run(
      parameters, [&] { adam.step(); }, [&] { options.lr(options.lr() * epoch_decay); });
  return parameters;
}

}  // namespace

TEST_CASE("both Adam kernels follow LibTorch's own Adam, at a steady learning rate and at a decaying one") {
  const Problem problem;
  const AdamRecipe recipe{0.01, 0.8, 0.99, 1e-6};
  const double epoch_decay = GENERATE(1.0, 0.3);
  const Tensors expected = reference(problem, recipe, epoch_decay);
  for (const UpdateKernel kernel : {UpdateKernel::kFused, UpdateKernel::kForeach}) {
    Tensors parameters = problem.parameters();
    const auto adam =
        std::make_unique<Optimizer>(ParameterGroup{"all", parameters, recipe, epoch_decay}, kernel, nullptr);
    problem.run(
        parameters, [&] { adam->step(); }, [&] { adam->end_epoch(); });
    INFO(adam->description());
    check_close(parameters, expected);
    CHECK(adam->steps_made() == Problem::kSteps);
  }
}

TEST_CASE("a scaled loss is not trained by the fused kernel of MPS, which leaves no step out") {
  torch::Library mps(torch::Library::IMPL, "aten", c10::DispatchKey::MPS, __FILE__, __LINE__);
  for (const char* name : {"_fused_adam_", "_fused_adam_.tensor_lr"}) {
    mps.impl(name, torch::CppFunction::makeFallthrough());
  }
  const ParameterGroup group{"all", Problem().parameters(), AdamRecipe()};
  CHECK(make_optimizer(group, at::kMPS)->description() == "adam (fused)");
  LossScaler scaler(at::kCPU);
  CHECK(make_optimizer(group, at::kMPS, &scaler)->description() == "adam (foreach)");
  CHECK(make_optimizer(group, at::kCPU, &scaler)->description() == "adam (fused)");
}

TEST_CASE("cleared parameters have no gradient") {
  const Problem problem;
  Tensors parameters = problem.parameters();
  const auto adam = make_optimizer({"all", parameters, AdamRecipe()}, at::kCPU);
  problem.run(parameters, [] {});
  CHECK(parameters[0].grad().defined());
  adam->clear_gradients();
  CHECK_FALSE(parameters[0].grad().defined());
}

}  // namespace gpubench::test::adam_test
