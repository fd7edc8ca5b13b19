#include "engine/ops/op_call.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include "engine/torch/failure.h"

namespace gpubench {

OpCall::OpCall(const OpEntry& entry, OpCase sizes, Tensors inputs)
    : entry_(entry), sizes_(std::move(sizes)), inputs_(std::move(inputs)) {}

void OpCall::want_gradients(at::Tensor output) {
  for (at::Tensor& input : inputs_) {
    if (input.is_floating_point()) differentiated_.push_back(input.requires_grad_());
  }
  if (differentiated_.empty() || !output.is_floating_point()) {
    throw Unsupported(entry_.name + " has no gradient for whole numbers");
  }
  output_gradient_ = std::move(output);
}

void OpCall::make() {
  outputs_.clear();
  const at::AutoGradMode mode(output_gradient_.defined());
  at::Tensor result = entry_.call(inputs_, sizes_);
  if (output_gradient_.defined()) {
    outputs_ = torch::autograd::grad({result}, differentiated_, {output_gradient_});
  }
  outputs_.insert(outputs_.begin(), result.detach());
}

}  // namespace gpubench
