#include "workloads/infer/fusion.h"

#include <memory>
#include <optional>
#include <string>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/functional.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

namespace gpubench {
namespace {

namespace nn = torch::nn;
using NoScalars = c10::List<std::optional<at::Scalar>>;

/// Returns true if oneDNN computes in this type on this processor: 16-bit types need AVX-512 or newer.
bool is_supported_by_onednn(at::ScalarType type) {
  const char* const name = type == at::kBFloat16 ? "mkldnn::_is_mkldnn_bf16_supported"
                           : type == at::kHalf   ? "mkldnn::_is_mkldnn_fp16_supported"
                                                 : nullptr;
  if (name == nullptr) return true;
  const auto check = c10::Dispatcher::singleton().findSchema({name, ""});
  torch::jit::Stack stack;
  if (check) check->callBoxed(stack);
  return check && stack.front().toBool();
}

/// Returns an operation of oneDNN if this LibTorch has it, for a weight on a CPU and in a supported type.
std::optional<c10::OperatorHandle> find_onednn(const char* name, const at::Tensor& weight) {
  const bool is_usable = weight.is_cpu() && at::hasMKLDNN() && at::globalContext().userEnabledMkldnn() &&
                         is_supported_by_onednn(weight.scalar_type());
  return is_usable ? c10::Dispatcher::singleton().findSchema({name, ""}) : std::nullopt;
}

// Calls are boxed, since the C++ signatures vary by version.
template <class... Arguments>
at::Tensor call(const c10::OperatorHandle& operation, Arguments... arguments) {
  torch::jit::Stack stack{c10::IValue(std::move(arguments))...};
  operation.callBoxed(stack);
  return stack.front().toTensor();
}

std::string activation(bool has_relu) { return has_relu ? "relu" : "none"; }

/// Returns a convolution with folded batch normalization (null: none) and, optionally, ReLU.
nn::Functional fuse_convolution(const nn::Conv2dImpl& layer, const nn::BatchNorm2dImpl* norm, bool has_relu,
                                at::ScalarType type) {
  at::Tensor weight = layer.weight;
  std::optional<at::Tensor> bias;
  if (layer.bias.defined()) bias = layer.bias;
  if (norm != nullptr) {
    // (conv(x) - mean) / sqrt(variance + epsilon) * scale + offset is a convolution with other weights.
    const at::Tensor scale = norm->weight.div((norm->running_var + norm->options.eps()).sqrt());
    const at::Tensor offset = bias ? *bias - norm->running_mean : -norm->running_mean;
    weight = weight.to(scale.scalar_type()) * scale.view({-1, 1, 1, 1});
    bias = norm->bias + offset * scale;
  }
  weight = weight.detach().to(type);
  if (bias) bias = bias->detach().to(type);
  const auto padding = at::IntArrayRef(std::get<torch::ExpandingArray<2>>(layer.options.padding())).vec();
  const auto stride = at::IntArrayRef(layer.options.stride()).vec();
  const auto dilation = at::IntArrayRef(layer.options.dilation()).vec();
  const std::int64_t groups = layer.options.groups();
  const auto operation = find_onednn("mkldnn::_convolution_pointwise", weight);
  at::Tensor packed;  // The weight in oneDNN's layout for the first input.
  return nn::Functional([=](const at::Tensor& input) mutable -> at::Tensor {
    const at::Tensor x = input.to(weight.scalar_type());
    if (!operation) {
      const at::Tensor made = at::conv2d(x, weight, bias, stride, padding, dilation, groups);
      return has_relu ? made.relu_() : made;
    }
    if (!packed.defined()) {
      const auto reorder = find_onednn("mkldnn::_reorder_convolution_weight", weight);
      const auto shape = std::optional(x.sizes().vec());
      packed = reorder ? call(*reorder, weight, padding, stride, dilation, groups, shape) : weight;
    }
    return call(*operation, x, packed, bias, padding, stride, dilation, groups, activation(has_relu),
                NoScalars(), std::string());
  });
}

/// Returns a dense layer with, optionally, ReLU.
nn::Functional fuse_dense(const nn::LinearImpl& layer, bool has_relu, at::ScalarType type) {
  const at::Tensor weight = layer.weight.detach().to(type);
  const at::Tensor bias = layer.bias.detach().to(type);
  const auto operation = find_onednn("mkldnn::_linear_pointwise", weight);
  return nn::Functional([=](const at::Tensor& input) -> at::Tensor {
    const at::Tensor x = input.to(weight.scalar_type());
    if (operation)
      return call(*operation, x, weight, std::optional(bias), activation(has_relu), NoScalars(),
                  std::string());
    const at::Tensor made = at::linear(x, weight, bias);
    return has_relu ? made.relu_() : made;
  });
}

template <class Layer>
std::shared_ptr<Layer> as(const nn::AnyModule& layer) {
  return std::dynamic_pointer_cast<Layer>(layer.ptr());
}

}  // namespace

Fusion::Fusion(nn::Module& network, at::ScalarType type) {
  const at::NoGradGuard no_grad;
  for (const std::shared_ptr<nn::Module>& module : network.modules(/*include_self=*/false)) {
    if (auto* const layers = dynamic_cast<nn::SequentialImpl*>(module.get())) fuse(*layers, type);
  }
  exchange();
}

void Fusion::exchange() {
  for (auto& [place, other] : others_) std::swap(*place, other);
}

void Fusion::fuse(nn::SequentialImpl& layers, at::ScalarType type) {
  const auto skip = [&](nn::AnyModule& layer) {
    others_.emplace_back(&layer, nn::AnyModule(nn::Identity()));
  };
  for (auto layer = layers.begin(); layer != layers.end(); ++layer) {
    const auto convolution = as<nn::Conv2dImpl>(*layer);
    const auto dense = as<nn::LinearImpl>(*layer);
    const bool has_known_padding =
        convolution && std::holds_alternative<torch::ExpandingArray<2>>(convolution->options.padding());
    if (!has_known_padding && !(dense && dense->bias.defined())) continue;
    const auto place = layer;
    auto next = layer + 1;
    const auto norm = convolution && next != layers.end() ? as<nn::BatchNorm2dImpl>(*next) : nullptr;
    if (norm) skip(*next++);
    const bool has_relu = next != layers.end() && as<nn::ReLUImpl>(*next) != nullptr;
    if (has_relu) skip(*next);
    others_.emplace_back(&*place, convolution ? fuse_convolution(*convolution, norm.get(), has_relu, type)
                                              : fuse_dense(*dense, has_relu, type));
  }
}

}  // namespace gpubench
