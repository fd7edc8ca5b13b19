#pragma once
// The optimisers by recipe and kernel; optimizer.h has the one that chooses.

#include <memory>
#include <string>

#include "engine/training/optimizer/numerics.h"
#include "gpubench/recipe.h"

namespace gpubench {

class Optimizer;

/// How an update is computed: a fused kernel of LibTorch, or a list operation for each term of the formula.
enum class UpdateKernel { kFused, kForeach };

std::string to_string(UpdateKernel kernel);

/// Fused where LibTorch's dispatcher has `operation`, such as "aten::_fused_adam_", for `device`.
UpdateKernel preferred_kernel(const std::string& operation, c10::Device device);

/// `recipe` is the group's own.
std::unique_ptr<Optimizer> make_adam(const ParameterGroup& group, const AdamRecipe& recipe,
                                     UpdateKernel kernel, LossScaler* scaler);
std::unique_ptr<Optimizer> make_sgd(const ParameterGroup& group, UpdateKernel kernel, LossScaler* scaler);

/// LibTorch has no fused kernel for it.
std::unique_ptr<Optimizer> make_adadelta(const ParameterGroup& group, const AdadeltaRecipe& recipe,
                                         LossScaler* scaler);

}  // namespace gpubench
