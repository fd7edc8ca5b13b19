#include <ATen/ops/randn.h>
#include <torch/optim/adam.h>

#include "engine/training/optimizer.h"
#include "support/catch.h"

using namespace gpubench;

namespace {

/// Parameters and a fixed sequence of gradients for them.
struct Problem {
  Problem() {
    at::manual_seed(7);
    for (const std::int64_t size : {1, 17, 300}) start.push_back(at::randn({size}));
    for (int step = 0; step < 5; ++step) {
      std::vector<at::Tensor> step_gradients;
      for (const at::Tensor& parameter : start) step_gradients.push_back(at::randn_like(parameter));
      gradients.push_back(step_gradients);
    }
  }

  std::vector<at::Tensor> parameters() const {
    std::vector<at::Tensor> copies;
    for (const at::Tensor& parameter : start) copies.push_back(parameter.clone().requires_grad_());
    return copies;
  }

  /// Calls `step` after setting each step's gradients on `parameters`.
  template <class Step>
  void run(std::vector<at::Tensor>& parameters, Step step) const {
    for (const auto& step_gradients : gradients) {
      for (std::size_t i = 0; i < parameters.size(); ++i)
        parameters[i].mutable_grad() = step_gradients[i].clone();
      step();
    }
  }

  std::vector<at::Tensor> start;
  std::vector<std::vector<at::Tensor>> gradients;
};

std::vector<at::Tensor> reference(const Problem& problem, const AdamRecipe& recipe) {
  auto parameters = problem.parameters();
  torch::optim::Adam adam(parameters, torch::optim::AdamOptions(recipe.learning_rate)
                                          .betas({recipe.beta1, recipe.beta2})
                                          .eps(recipe.epsilon));
  problem.run(parameters, [&] { adam.step(); });
  return parameters;
}

}  // namespace

TEST_CASE("both Adam kernels follow LibTorch's own Adam") {
  const Problem problem;
  const AdamRecipe recipe{0.01, 0.8, 0.99, 1e-6};
  const auto expected = reference(problem, recipe);
  for (const AdamKernel kernel : {AdamKernel::kFused, AdamKernel::kForeach}) {
    auto parameters = problem.parameters();
    const auto adam = make_adam({"all", parameters, recipe}, kernel);
    problem.run(parameters, [&] { adam->step(); });
    INFO(adam->description());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      CHECK(at::allclose(parameters[i], expected[i], 1e-5, 1e-6));
    }
  }
}

TEST_CASE("the dispatcher has the fused kernel on the CPU") {
  CHECK(preferred_adam_kernel(at::kCPU) == AdamKernel::kFused);
}

TEST_CASE("cleared parameters have no gradient") {
  const Problem problem;
  auto parameters = problem.parameters();
  const auto adam = make_adam({"all", parameters, {}}, AdamKernel::kFused);
  problem.run(parameters, [] {});
  CHECK(parameters[0].grad().defined());
  adam->clear_gradients();
  CHECK_FALSE(parameters[0].grad().defined());
}
