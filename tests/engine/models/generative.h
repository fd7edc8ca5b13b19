#pragma once
// Helpers for tests of networks: models, noise as data, single steps.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpubench/model.h"

namespace gpubench::test {

/// Returns the sizes that tests use: the defaults, or small ones for networks that take seconds per step.
ModelSizes small_sizes(const ModelEntry& entry);

/// Returns a network of the catalog at small_sizes(), with the same weights in every call.
std::shared_ptr<Model> built(const std::string& name);

/// Returns noise in the network's shape, the same in every call.
Batch random_batch(const std::string& name, std::int64_t count);

void fill(const std::vector<at::Tensor>& parameters, double value);

float value(const at::Tensor& sums, std::int64_t metric);

/// Gradient descent for one group of parameters or for all. Clears the gradients after a step.
class Descent : public Step {
 public:
  Descent(Model& model, double rate, std::optional<std::size_t> only = std::nullopt)
      : groups_(model.parameter_groups()), rate_(rate), only_(only) {}

  at::Tensor minimise(std::size_t group, const std::function<at::Tensor()>& compute_loss) override;

 private:
  std::vector<ParameterGroup> groups_;
  double rate_;
  std::optional<std::size_t> only_;
};

// Return metrics of a step or of an evaluation, summed over the samples. The evaluation leaves training mode.
at::Tensor step_sums(Model& model, const Batch& batch, Step& step);
at::Tensor evaluation_sums(Model& model, const Batch& batch);

/// Returns step_sums() with the same noise in every call.
at::Tensor seeded_step(Model& model, const Batch& batch, Step& step);

/// Checks that step and evaluation with channels last or in bf16 return finite fp32 sums without gradients.
void check_formats(const std::string& name);

}  // namespace gpubench::test
