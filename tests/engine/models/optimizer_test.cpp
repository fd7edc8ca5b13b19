// Compares optimizers with their formulas, and checks properties of all recipes.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <set>
#include <string_view>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>
#include <ATen/record_function.h>
#include <torch/library.h>
#include <torch/optim/adamw.h>

#include "support/catch.h"
#include "workloads/train/optimizer/optimizer.h"

namespace gpubench::test::optimizer_test {

namespace {

using Tensors = std::vector<at::Tensor>;

/// Factor on the learning rate by step.
using Factor = std::function<double(int step)>;

Tensors doubles(const Tensors& tensors) {
  Tensors copies;
  for (const at::Tensor& tensor : tensors) copies.push_back(tensor.detach().to(at::kDouble, false, true));
  return copies;
}

struct Problem {
  static constexpr int kSteps = 6;
  static constexpr int kStepsPerEpoch = 2;

  Problem() {
    at::manual_seed(7);
    start = {at::randn({1}), at::randn({17}), at::randn({20, 15})};
    for (int step = 0; step < kSteps; ++step) {
      Tensors step_gradients;
      for (const at::Tensor& parameter : start) step_gradients.push_back(at::randn_like(parameter));
      gradients.push_back(step_gradients);
    }
  }

  Tensors parameters(at::ScalarType type = at::kFloat) const {
    Tensors copies;
    for (const at::Tensor& parameter : start) {
      copies.push_back(parameter.to(type, false, true).requires_grad_());
    }
    return copies;
  }

  /// Sets the gradients of each step in the type of the parameters and calls `step`, then `end_epoch` per
  /// epoch.
  template <class Step, class EndEpoch>
  void run(Tensors& parameters, Step step, EndEpoch end_epoch) const {
    for (int i = 0; i < kSteps; ++i) {
      set_gradients(parameters, i);
      step();
      if ((i + 1) % kStepsPerEpoch == 0) end_epoch();
    }
  }
  template <class Step>
  void run(Tensors& parameters, Step step) const {
    run(parameters, step, [] {});
  }

  void set_gradients(Tensors& parameters, int step, double factor = 1) const {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i].mutable_grad() =
          gradients[static_cast<std::size_t>(step)][i].mul(factor).to(parameters[i].scalar_type());
    }
  }

  /// Returns the factor on the learning rate of a step with decay per epoch.
  static Factor decay(double epoch_decay) {
    return [=](int step) { return std::pow(epoch_decay, step / kStepsPerEpoch); };
  }

  Tensors start;
  std::vector<Tensors> gradients;
};

/// Compares with a formula in double precision.
void check_close(const Tensors& actual, const Tensors& expected, double relative = 1e-5,
                 double absolute = 1e-6) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(at::allclose(actual[i].detach().to(at::kDouble), expected[i].to(at::kDouble), relative, absolute));
  }
}

constexpr double kRate = 0.3;  // Learning rate of SGD.

double compute_norm(const Tensors& gradients) {
  double squares = 0;
  for (const at::Tensor& gradient : gradients) squares += std::pow(gradient.norm().item<double>(), 2);
  return std::sqrt(squares);
}

/// Computes p := p - rate * g, with gradients scaled down to the norm `clip_norm` if that is above 0.
Tensors sgd_reference(const Problem& problem, const Factor& rate_factor, double clip_norm = 0) {
  Tensors parameters = doubles(problem.start);
  for (int step = 0; step < Problem::kSteps; ++step) {
    const Tensors gradients = doubles(problem.gradients[static_cast<std::size_t>(step)]);
    const double norm = compute_norm(gradients);
    const double factor = clip_norm > 0 && norm > clip_norm ? clip_norm / norm : 1;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i] -= kRate * rate_factor(step) * factor * gradients[i];
    }
  }
  return parameters;
}

/// Returns the parameters that LibTorch's AdamW computes, with weight decay of the matrix only.
Tensors adam_reference(const Problem& problem, const AdamRecipe& recipe, const Factor& rate_factor) {
  using Options = torch::optim::AdamWOptions;
  Tensors parameters = problem.parameters();
  const auto options = [&](double decay) {
    return std::make_unique<Options>(Options(recipe.learning_rate)
                                         .betas({recipe.beta1, recipe.beta2})
                                         .eps(recipe.epsilon)
                                         .weight_decay(decay));
  };
  torch::optim::AdamW adam(
      {{{parameters[0], parameters[1]}, options(0)}, {{parameters[2]}, options(recipe.weight_decay)}});
  for (int step = 0; step < Problem::kSteps; ++step) {
    problem.set_gradients(parameters, step);
    for (auto& group : adam.param_groups()) {
      static_cast<Options&>(group.options()).lr(recipe.learning_rate * rate_factor(step));
    }
    adam.step();
  }
  return parameters;
}

/// A recipe and a kernel that can skip a step of a scaled loss.
struct Kind {
  Recipe recipe;
  UpdateKernel kernel;
};

std::vector<Kind> kinds() {
  return {{AdamRecipe{0.01}, UpdateKernel::kFused},
          {AdamRecipe{0.01}, UpdateKernel::kForeach},
          {AdamRecipe{.learning_rate = 0.01, .weight_decay = 2}, UpdateKernel::kFused},
          {AdamRecipe{.learning_rate = 0.01, .weight_decay = 2}, UpdateKernel::kForeach},
          {SgdRecipe{0.3}, UpdateKernel::kFused},
          {SgdRecipe{0.3}, UpdateKernel::kForeach},
          {AdadeltaRecipe{}, UpdateKernel::kForeach}};
}

std::unique_ptr<Optimizer> make(const Kind& kind, ParameterGroup group, LossScaler* scaler = nullptr) {
  group.recipe = kind.recipe;
  return std::make_unique<Optimizer>(group, kind.kernel, scaler);
}

Tensors clones(const Tensors& tensors) {
  Tensors copies;
  for (const at::Tensor& tensor : tensors) copies.push_back(tensor.detach().clone());
  return copies;
}

void restore(Tensors tensors, const Tensors& saved) {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < tensors.size(); ++i) tensors[i].copy_(saved[i]);
}

/// Types in copied lists. Global, since LibTorch's callbacks are plain functions.
std::vector<std::set<at::ScalarType>> copied_lists;

std::unique_ptr<at::ObserverContext> note_copies(const at::RecordFunction& call) {
  if (std::string_view(call.name()) != "aten::_foreach_copy_") return nullptr;
  for (const c10::IValue& argument : call.inputs()) {
    if (!argument.isTensorList()) continue;
    std::set<at::ScalarType>& types = copied_lists.emplace_back();
    for (const at::Tensor& tensor : argument.toTensorVector()) types.insert(tensor.scalar_type());
  }
  return nullptr;
}

}  // namespace

TEST_CASE("both kernels of Adam and AdamW match LibTorch, with a constant and a decaying learning rate") {
  const Problem problem;
  const AdamRecipe recipe{0.01, 0.8, 0.99, 1e-6, /*weight_decay=*/GENERATE(0.0, 2.0)};
  const double epoch_decay = GENERATE(1.0, 0.3);
  const Tensors expected = adam_reference(problem, recipe, Problem::decay(epoch_decay));
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

TEST_CASE("a scaled loss on MPS does not use the fused kernel, which skips no step") {
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

TEST_CASE("both SGD kernels subtract gradients times the learning rate, constant or decaying") {
  const Problem problem;
  const double epoch_decay = GENERATE(1.0, 0.3);
  const Tensors expected = sgd_reference(problem, Problem::decay(epoch_decay));
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

TEST_CASE("a schedule raises the rate linearly, then lowers it along half a cosine, in every kernel") {
  const Problem problem;
  const Schedule schedule = GENERATE(Schedule{2, 6}, Schedule{3, 0}, Schedule{0, 4});
  const auto warmup = static_cast<double>(schedule.warmup_steps);
  const auto total = static_cast<double>(schedule.total_steps);
  const Factor factor = [&](int step) {
    const double number = step + 1;
    if (number <= warmup) return number / warmup;
    if (total == 0) return 1.0;
    const double progress = std::min((number - warmup) / (total - warmup), 1.0);
    return (1 + std::cos(std::numbers::pi * progress)) / 2;
  };
  const AdamRecipe adam{.learning_rate = 0.01, .weight_decay = 2};
  for (const UpdateKernel kernel : {UpdateKernel::kFused, UpdateKernel::kForeach}) {
    const auto train = [&](const Recipe& recipe) {
      Tensors parameters = problem.parameters();
      const auto optimizer =
          make({recipe, kernel}, {.name = "all", .parameters = parameters, .schedule = schedule});
      problem.run(
          parameters, [&] { optimizer->step(); }, [&] { optimizer->end_epoch(); });
      return parameters;
    };
    check_close(train(SgdRecipe{kRate}), sgd_reference(problem, factor));
    check_close(train(adam), adam_reference(problem, adam, factor));
  }
}

TEST_CASE("gradients above the group's norm are scaled down, others are unchanged") {
  Problem problem;
  // Gradients become smaller, so that later steps stay below the norm.
  double factor = 1;
  for (Tensors& gradients : problem.gradients) {
    for (at::Tensor& gradient : gradients) gradient *= factor;
    factor *= 0.2;
  }
  const double clip_norm = 0.25;
  REQUIRE(compute_norm(problem.gradients.front()) > clip_norm);
  REQUIRE(compute_norm(problem.gradients.back()) < clip_norm);
  const Tensors expected = sgd_reference(problem, Problem::decay(1), clip_norm);
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
  const Tensors expected = sgd_reference(problem, Problem::decay(1), clip_norm);
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

TEST_CASE("zero gradients change no parameter, with or without clipping") {
  const Problem problem;
  Tensors parameters = problem.parameters();
  const auto sgd = make_optimizer({"all", parameters, SgdRecipe{kRate}, 1, 0.25}, at::kCPU);
  problem.set_gradients(parameters, 0, 0);
  sgd->step();
  check_close(parameters, problem.start, 0, 0);
}

TEST_CASE("a step with infinite scaled gradients changes nothing and does not count") {
  const Problem problem;
  const int bad_step = 3;
  const double bad =
      GENERATE(std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN());
  const double clip_norm = GENERATE(0.0, 1.0);
  const Schedule schedule = GENERATE(Schedule{}, Schedule{2, 6});
  for (const Kind& kind : kinds()) {
    LossScaler scaler(at::kCPU);
    Tensors parameters = problem.parameters();
    Tensors without = problem.parameters();
    const auto optimizer = make(kind, {"all", parameters, {}, 1, clip_norm, schedule}, &scaler);
    const auto unscaled = make(kind, {"all", without, {}, 1, clip_norm, schedule});
    INFO(optimizer->description());
    for (int step = 0; step < Problem::kSteps; ++step) {
      problem.set_gradients(parameters, step);
      for (at::Tensor& parameter : parameters) parameter.mutable_grad() = scaler.scaled(parameter.grad());
      if (step == bad_step) parameters[1].mutable_grad()[5] = bad;
      const Tensors before = clones(parameters);
      optimizer->step();
      if (step == bad_step) {
        check_close(parameters, before, 0, 0);
        continue;
      }
      problem.set_gradients(without, step);
      unscaled->step();
    }
    check_close(parameters, without);
    CHECK(optimizer->steps_made() == Problem::kSteps - 1);
    CHECK(scaler.scaled(at::full({1}, 1.0)).item<float>() == 32768);
  }
}

TEST_CASE("updates too small for bf16 add up in fp32 copies") {
  const Problem problem;
  for (const Kind& kind : kinds()) {
    // A thousandth of the smallest change of a bf16 parameter of 1.
    const Kind small{with_learning_rate(kind.recipe, 1e-5), kind.kernel};
    Tensors coarse{at::full({3}, 1.0, at::kBFloat16).requires_grad_()};
    Tensors fine{at::full({3}, 1.0).requires_grad_()};
    const auto optimizer = make(small, {"all", coarse, {}});
    const auto exact = make(small, {"all", fine, {}});
    INFO(optimizer->description());
    CHECK_THAT(optimizer->description(), contains_text("fp32 copies"));
    for (int step = 0; step < 1000; ++step) {
      coarse[0].mutable_grad() = at::full({3}, 1.0, at::kBFloat16);
      fine[0].mutable_grad() = at::full({3}, 1.0);
      optimizer->step();
      exact->step();
    }
    CHECK(coarse[0].detach().equal(fine[0].detach().to(at::kBFloat16)));
    CHECK(coarse[0].scalar_type() == at::kBFloat16);
  }
}

TEST_CASE(
    "with parameters of several types, fp32 ones are updated in place, and copied lists have one type") {
  const Problem problem;
  const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(note_copies).needsInputs(true));
  for (const Kind& kind : kinds()) {
    // As in a bf16 network, whose normalizations stay fp32.
    Tensors mixed = problem.parameters();
    mixed[1] = problem.parameters(at::kBFloat16)[1];
    Tensors fine = problem.parameters();
    const auto optimizer = make(kind, {"all", mixed, {}});
    const auto exact = make(kind, {"all", fine, {}});
    INFO(optimizer->description());
    CHECK(optimizer->state().size() == exact->state().size() + 1);
    copied_lists.clear();
    problem.run(mixed, [&] { optimizer->step(); });
    // Copies to the gradient and back, each with a source and a target list.
    CHECK(copied_lists.size() == 4 * Problem::kSteps);
    for (const auto& types : copied_lists) CHECK(types.size() == 1);
    problem.run(fine, [&] { exact->step(); });
    check_close({mixed[0], mixed[2]}, {fine[0], fine[2]}, 0, 0);
    check_close({mixed[1]}, {fine[1]}, 0.02, 0.02);
  }
  at::removeCallback(handle);
}

TEST_CASE("state() contains everything that training changes, including the decayed learning rate") {
  const Problem problem;
  for (const Kind& kind : kinds()) {
    Tensors parameters = problem.parameters();
    const auto optimizer = make(kind, {"all", parameters, {}, 0.1});
    INFO(optimizer->description());
    problem.set_gradients(parameters, 0);
    optimizer->step();
    const Tensors kept = clones(optimizer->state());
    const Tensors start = clones(parameters);
    const auto three_epochs = [&] {
      problem.run(
          parameters, [&] { optimizer->step(); }, [&] { optimizer->end_epoch(); });
      return clones(parameters);
    };
    const Tensors first = three_epochs();
    restore(optimizer->state(), kept);
    restore(parameters, start);
    check_close(three_epochs(), first, 0, 0);
    CHECK(optimizer->steps_made() == 1 + Problem::kSteps);
  }
}

TEST_CASE("a description has recipe, kernel, clipping, decay and schedule") {
  const Tensors parameters = Problem().parameters();
  const auto text = [&](const Recipe& recipe, double decay, double clip) {
    return make_optimizer({"all", parameters, recipe, decay, clip}, at::kCPU)->description();
  };
  CHECK(text(AdamRecipe{}, 1, 0) == "adam (fused)");
  CHECK(text(SgdRecipe{}, 1, 0.25) == "sgd (fused), gradients clipped to norm 0.25");
  CHECK(text(AdadeltaRecipe{}, 0.7, 0) == "adadelta (foreach), learning rate x 0.7 per epoch");
  const ParameterGroup scheduled{"all", parameters, AdamRecipe{.weight_decay = 0.1}, 1, 0, {700, 19'073}};
  CHECK(make_optimizer(scheduled, at::kCPU)->description() ==
        "adamw (fused), weight decay 0.1, 700 warm-up steps, cosine decay to step 19073");
}

}  // namespace gpubench::test::optimizer_test
