#include "engine/training/optimizer/optimizer.h"
#include "optimizer_problem.h"

namespace gpubench::test::sgd_test {

namespace {

constexpr double kRate = 0.3;

/// p := p - rate * g, gradients scaled down to a norm of `clip_norm` where that is above 0.
Tensors reference(const Problem& problem, double epoch_decay, double clip_norm = 0) {
  Tensors parameters = doubles(problem.start);
  for (int step = 0; step < Problem::kSteps; ++step) {
    const Tensors gradients = doubles(problem.gradients[static_cast<std::size_t>(step)]);
    double squares = 0;
    for (const at::Tensor& gradient : gradients) squares += gradient.square().sum().item<double>();
    const double norm = std::sqrt(squares);
    const double factor = clip_norm > 0 && norm > clip_norm ? clip_norm / norm : 1;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i] -= Problem::rate(kRate, epoch_decay, step) * factor * gradients[i];
    }
  }
  return parameters;
}

double compute_norm(const Tensors& gradients) {
  double squares = 0;
  for (const at::Tensor& gradient : gradients) squares += std::pow(gradient.norm().item<double>(), 2);
  return std::sqrt(squares);
}

}  // namespace

TEST_CASE("both SGD kernels subtract the gradients times the learning rate, steady or decaying") {
  const Problem problem;
  const double epoch_decay = GENERATE(1.0, 0.3);
  const Tensors expected = reference(problem, epoch_decay);
  for (const UpdateKernel kernel : {UpdateKernel::kFused, UpdateKernel::kForeach}) {
    Tensors parameters = problem.parameters();
    const auto sgd = std::make_unique<Optimizer>(
        ParameterGroup{"all", parameters, SgdRecipe{kRate}, epoch_decay}, kernel, nullptr);
    problem.run(
        parameters, [&] { sgd->step(); }, [&] { sgd->end_epoch(); });
    INFO(sgd->description());
    check_close(parameters, expected);
    CHECK(sgd->steps_made() == Problem::kSteps);
  }
}

TEST_CASE("gradients are scaled down to the norm that the group allows, and left alone below it") {
  Problem problem;
  // Smaller from step to step, so that the later ones stay below.
  double factor = 1;
  for (Tensors& gradients : problem.gradients) {
    for (at::Tensor& gradient : gradients) gradient *= factor;
    factor *= 0.2;
  }
  const double clip_norm = 0.25;
  REQUIRE(compute_norm(problem.gradients.front()) > clip_norm);
  REQUIRE(compute_norm(problem.gradients.back()) < clip_norm);
  const Tensors expected = reference(problem, 1, clip_norm);
  for (const UpdateKernel kernel : {UpdateKernel::kFused, UpdateKernel::kForeach}) {
    Tensors parameters = problem.parameters();
    const auto sgd = std::make_unique<Optimizer>(
        ParameterGroup{"all", parameters, SgdRecipe{kRate}, 1, clip_norm}, kernel, nullptr);
    problem.run(parameters, [&] { sgd->step(); });
    check_close(parameters, expected);
  }
}

TEST_CASE("gradients of a scaled loss are unscaled before they are clipped") {
  const Problem problem;
  const double clip_norm = 5;
  const Tensors expected = reference(problem, 1, clip_norm);
  for (const UpdateKernel kernel : {UpdateKernel::kFused, UpdateKernel::kForeach}) {
    Tensors parameters = problem.parameters();
    LossScaler scaler(at::kCPU);
    const auto sgd = std::make_unique<Optimizer>(
        ParameterGroup{"all", parameters, SgdRecipe{kRate}, 1, clip_norm}, kernel, &scaler);
    problem.run(parameters, [&] {
      for (at::Tensor& parameter : parameters) parameter.mutable_grad() = scaler.scaled(parameter.grad());
      sgd->step();
    });
    check_close(parameters, expected);
    CHECK(sgd->steps_made() == Problem::kSteps);
  }
}

TEST_CASE("a group whose gradients are all zero stays where it is, clipped or not") {
  const Problem problem;
  Tensors parameters = problem.parameters();
  const auto sgd = make_optimizer({"all", parameters, SgdRecipe{kRate}, 1, 0.25}, at::kCPU);
  problem.set_gradients(parameters, 0, 0);
  sgd->step();
  check_close(parameters, problem.start, 0, 0);
}

}  // namespace gpubench::test::sgd_test
