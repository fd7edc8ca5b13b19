#include "engine/training/optimizer/optimizer.h"
#include "optimizer_problem.h"

using namespace gpubench;
using namespace gpubench::test;

namespace {

/// Zeiler's algorithm 1, number by number.
Tensors reference(const Problem& problem, const AdadeltaRecipe& recipe, double epoch_decay) {
  Tensors parameters = doubles(problem.start);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    double* values = parameters[i].mutable_data_ptr<double>();
    for (std::int64_t j = 0; j < parameters[i].numel(); ++j) {
      double square_gradient = 0;
      double square_update = 0;
      for (int step = 0; step < Problem::kSteps; ++step) {
        const double gradient = problem.gradients[static_cast<std::size_t>(step)][i][j].item<double>();
        square_gradient = recipe.rho * square_gradient + (1 - recipe.rho) * gradient * gradient;
        const double update = std::sqrt(square_update + recipe.epsilon) /
                              std::sqrt(square_gradient + recipe.epsilon) * gradient;
        square_update = recipe.rho * square_update + (1 - recipe.rho) * update * update;
        values[j] -= Problem::rate(recipe.learning_rate, epoch_decay, step) * update;
      }
    }
  }
  return parameters;
}

}  // namespace

TEST_CASE("Adadelta follows its paper's algorithm, times a learning rate, steady or decaying") {
  const Problem problem;
  const AdadeltaRecipe recipe = GENERATE(AdadeltaRecipe{}, AdadeltaRecipe{20, 0.7, 1e-3});
  const double epoch_decay = GENERATE(1.0, 0.7);
  const Tensors expected = reference(problem, recipe, epoch_decay);
  Tensors parameters = problem.parameters();
  const auto adadelta = make_optimizer({"all", parameters, recipe, epoch_decay}, at::kCPU);
  problem.run(
      parameters, [&] { adadelta->step(); }, [&] { adadelta->end_epoch(); });
  // Of the movement, which is small beside the parameters.
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const at::Tensor moved = parameters[i].detach().to(at::kDouble) - problem.start[i].to(at::kDouble);
    const at::Tensor should_move = expected[i] - problem.start[i].to(at::kDouble);
    CHECK(at::allclose(moved, should_move, 1e-4, 1e-6));
    CHECK(should_move.abs().max().item<double>() > 1e-3);
  }
  CHECK(adadelta->steps_made() == Problem::kSteps);
}
