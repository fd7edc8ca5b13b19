#include "workloads/infer/fusion.h"

#include <memory>
#include <optional>
#include <string>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
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

/// Returns an operation of oneDNN if this LibTorch has it, and the weight is on a CPU and in a supported
/// type.
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

/// Convolution with folded batch normalization and, optionally, ReLU.
class FusedConvolution : public nn::Module {
 public:
  FusedConvolution(const nn::Conv2dImpl& layer, const nn::BatchNorm2dImpl* norm, bool has_relu,
                   at::ScalarType type)
      : options_(layer.options), has_relu_(has_relu), weight_(layer.weight), bias_(layer.bias) {
    if (norm != nullptr) fold(*norm);
    weight_ = weight_.detach().to(type);
    if (bias_.defined()) bias_ = bias_.detach().to(type);
    operation_ = find_onednn("mkldnn::_convolution_pointwise", weight_);
  }

  at::Tensor forward(const at::Tensor& input) {
    const at::Tensor x = input.to(weight_.scalar_type());
    if (operation_) {
      if (!packed_.defined()) packed_ = pack(x);
      return call(*operation_, x, packed_, bias(), padding(), stride(), dilation(), options_.groups(),
                  std::string(has_relu_ ? "relu" : "none"), NoScalars(), std::string());
    }
    const at::Tensor made =
        at::conv2d(x, weight_, bias(), stride(), padding(), dilation(), options_.groups());
    return has_relu_ ? made.relu_() : made;
  }

 private:
  /// (conv(x) - mean) / sqrt(variance + epsilon) * scale + offset is a convolution with other weights.
  void fold(const nn::BatchNorm2dImpl& norm) {
    const at::Tensor scale = norm.weight.div((norm.running_var + norm.options.eps()).sqrt());
    const at::Tensor offset = bias_.defined() ? bias_ - norm.running_mean : -norm.running_mean;
    weight_ = weight_.to(scale.scalar_type()) * scale.view({-1, 1, 1, 1});
    bias_ = norm.bias + offset * scale;
  }

  at::Tensor pack(const at::Tensor& x) const {
    const auto reorder = find_onednn("mkldnn::_reorder_convolution_weight", weight_);
    if (!reorder) return weight_;
    return call(*reorder, weight_, padding(), stride(), dilation(), options_.groups(),
                std::optional(x.sizes().vec()));
  }

  std::optional<at::Tensor> bias() const { return bias_.defined() ? std::optional(bias_) : std::nullopt; }
  std::vector<std::int64_t> padding() const {
    return at::IntArrayRef(std::get<torch::ExpandingArray<2>>(options_.padding())).vec();
  }
  std::vector<std::int64_t> stride() const { return at::IntArrayRef(options_.stride()).vec(); }
  std::vector<std::int64_t> dilation() const { return at::IntArrayRef(options_.dilation()).vec(); }

  nn::detail::ConvNdOptions<2> options_;
  bool has_relu_;
  at::Tensor weight_;
  at::Tensor bias_;
  std::optional<c10::OperatorHandle> operation_;
  at::Tensor packed_;  // The weight in oneDNN's layout for the first input.
};

/// Dense layer with ReLU.
class FusedDense : public nn::Module {
 public:
  FusedDense(const nn::LinearImpl& layer, bool has_relu, at::ScalarType type)
      : has_relu_(has_relu), weight_(layer.weight.detach().to(type)), bias_(layer.bias.detach().to(type)) {
    operation_ = find_onednn("mkldnn::_linear_pointwise", weight_);
  }

  at::Tensor forward(const at::Tensor& input) {
    const at::Tensor x = input.to(weight_.scalar_type());
    if (operation_)
      return call(*operation_, x, weight_, std::optional(bias_), std::string(has_relu_ ? "relu" : "none"),
                  NoScalars(), std::string());
    const at::Tensor made = at::linear(x, weight_, bias_);
    return has_relu_ ? made.relu_() : made;
  }

 private:
  bool has_relu_;
  at::Tensor weight_;
  at::Tensor bias_;
  std::optional<c10::OperatorHandle> operation_;
};

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
    if (convolution)
      others_.emplace_back(&*place,
                           std::make_shared<FusedConvolution>(*convolution, norm.get(), has_relu, type));
    else
      others_.emplace_back(&*place, std::make_shared<FusedDense>(*dense, has_relu, type));
  }
}

}  // namespace gpubench
