#include "engine/training/model_format.h"

#include <algorithm>

namespace gpubench {
namespace {

bool is_convolution_weight(const at::Tensor& parameter) { return parameter.dim() == 4; }

/// Leaves are cast as a whole, since recurrent layers keep their weights in one piece.
void cast(Model& model, at::ScalarType type) {
  for (const auto& module : model.modules(/*include_self=*/false)) {
    const bool is_leaf = module->children().empty();
    const bool has_statistics = !module->buffers(/*recurse=*/false).empty();
    if (is_leaf && !has_statistics) module->to(type);
  }
}

/// contiguous() would leave a weight with one input channel as it is: its strides are right for both layouts,
/// and the convolution would take it for the other one.
void put_channels_last(Model& model) {
  const at::NoGradGuard no_grad;
  for (at::Tensor parameter : model.parameters()) {
    if (!is_convolution_weight(parameter)) continue;
    parameter.set_data(parameter.to(parameter.options(), /*non_blocking=*/false, /*copy=*/true,
                                    at::MemoryFormat::ChannelsLast));
  }
}

}  // namespace

void to_device(Model& model, c10::Device device, const InputFormat& format) {
  model.to(device);
  if (format.type != at::kFloat) cast(model, format.type);
  if (format.is_channels_last) put_channels_last(model);
}

bool has_convolutions(const Model& model) {
  const auto parameters = model.parameters();
  return std::any_of(parameters.begin(), parameters.end(), is_convolution_weight);
}

}  // namespace gpubench
