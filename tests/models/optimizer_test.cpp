// What the optimisers of all recipes have in common.

#include <limits>
#include <set>
#include <string_view>

#include <ATen/ops/full.h>
#include <ATen/record_function.h>

#include "engine/training/optimizer/optimizer.h"
#include "optimizer_problem.h"

namespace gpubench::test::optimizer_test {

namespace {

/// A recipe and a kernel that can leave out a step of a scaled loss.
struct Kind {
  Recipe recipe;
  UpdateKernel kernel;
};

std::vector<Kind> kinds() {
  return {{AdamRecipe{0.01}, UpdateKernel::kFused},
          {AdamRecipe{0.01}, UpdateKernel::kForeach},
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

/// LibTorch calls back plain functions, which find here where to note the types in lists that are copied.
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

/// Fills copied_lists while it lives.
class CopyListener {
 public:
  CopyListener()
      : handle_(at::addThreadLocalCallback(at::RecordFunctionCallback(note_copies).needsInputs(true))) {}
  ~CopyListener() { at::removeCallback(handle_); }
  CopyListener(const CopyListener&) = delete;
  CopyListener& operator=(const CopyListener&) = delete;

 private:
  at::CallbackHandle handle_;
};

}  // namespace

TEST_CASE("a step whose scaled gradients are not finite changes nothing and does not count") {
  const Problem problem;
  const int bad_step = 3;
  const double bad =
      GENERATE(std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN());
  const double clip_norm = GENERATE(0.0, 1.0);
  for (const Kind& kind : kinds()) {
    LossScaler scaler(at::kCPU);
    Tensors parameters = problem.parameters();
    Tensors without = problem.parameters();
    const auto optimizer = make(kind, {"all", parameters, {}, 1, clip_norm}, &scaler);
    const auto unscaled = make(kind, {"all", without, {}, 1, clip_norm});
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
    // A thousandth of what a parameter of 1 can be changed by in bf16.
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
    "where parameters are of several types, those of fp32 are updated in place, and lists copied are of one "
    "type") {
  const Problem problem;
  const CopyListener listener;
  for (const Kind& kind : kinds()) {
    // As in a network in bf16, whose normalisations stay fp32.
    Tensors mixed = problem.parameters();
    mixed[1] = problem.parameters(at::kBFloat16)[1];
    Tensors fine = problem.parameters();
    const auto optimizer = make(kind, {"all", mixed, {}});
    const auto exact = make(kind, {"all", fine, {}});
    INFO(optimizer->description());
    CHECK(optimizer->state().size() == exact->state().size() + 1);
    copied_lists.clear();
    problem.run(mixed, [&] { optimizer->step(); });
    // To the copy's gradient and back, each a list to copy to and one to copy from.
    CHECK(copied_lists.size() == 4 * Problem::kSteps);
    for (const auto& types : copied_lists) CHECK(types.size() == 1);
    problem.run(fine, [&] { exact->step(); });
    check_close({mixed[0], mixed[2]}, {fine[0], fine[2]}, 0, 0);
    check_close({mixed[1]}, {fine[1]}, 0.02, 0.02);
  }
}

TEST_CASE("all that training changes can be saved and restored, the decayed learning rate included") {
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

TEST_CASE("a description tells recipe, kernel, clipping and decay") {
  const Tensors parameters = Problem().parameters();
  const auto text = [&](const Recipe& recipe, double decay, double clip) {
    return make_optimizer({"all", parameters, recipe, decay, clip}, at::kCPU)->description();
  };
  CHECK(text(AdamRecipe{}, 1, 0) == "adam (fused)");
  CHECK(text(SgdRecipe{}, 1, 0.25) == "sgd (fused), gradients clipped to norm 0.25");
  CHECK(text(AdadeltaRecipe{}, 0.7, 0) == "adadelta (foreach), learning rate x 0.7 an epoch");
}

TEST_CASE("the learning rate of any recipe can be read and replaced, and nothing else is") {
  CHECK(find_learning_rate(SgdRecipe{20}) == 20);
  CHECK(find_learning_rate(with_learning_rate(SgdRecipe{20}, 3)) == 3);
  const Recipe replaced = with_learning_rate(AdadeltaRecipe{1, 0.8, 1e-4}, 0.5);
  CHECK(find_learning_rate(replaced) == 0.5);
  CHECK(std::get<AdadeltaRecipe>(replaced).rho == 0.8);
  CHECK(std::get<AdadeltaRecipe>(replaced).epsilon == 1e-4);
}

}  // namespace gpubench::test::optimizer_test
