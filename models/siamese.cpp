// Siamese network of the PyTorch examples. Applies torchvision's ResNet-18 (He et al., 2015) for one channel,
// without its head, to both images of a pair; two dense layers compare the features.

#include "blocks.h"

namespace gpubench::siamese_plugin {
namespace {

constexpr std::int64_t kFeatures = 512;
constexpr double kEpochDecay = 0.7;

nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
  nn::Conv2d layer(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
  nn::init::kaiming_normal_(layer->weight, 0, torch::kFanOut, torch::kReLU);
  return layer;
}

Dense dense(std::int64_t in, std::int64_t out) {
  constexpr double kInitialBias = 0.01;
  Dense layer(in, out);
  nn::init::xavier_uniform_(layer->weight);
  nn::init::constant_(layer->bias, kInitialBias);
  return layer;
}

/// Two 3x3 convolutions with a shortcut, which is projected if the shape changes.
ResidualBlock basic_block(std::int64_t in, std::int64_t out, std::int64_t stride) {
  const nn::Sequential residual(conv(in, out, 3, stride), nn::BatchNorm2d(out), relu(), conv(out, out, 3, 1),
                                nn::BatchNorm2d(out));
  if (in == out) return ResidualBlock(residual);
  return ResidualBlock(residual, nn::Sequential(conv(in, out, 1, stride), nn::BatchNorm2d(out)));
}

nn::Sequential resnet18() {
  // The first convolution replaces that of torchvision, with the default initial weights.
  nn::Sequential network(nn::Conv2d(nn::Conv2dOptions(1, 64, 7).stride(2).padding(3).bias(false)),
                         nn::BatchNorm2d(64), relu(),
                         nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1)));
  std::int64_t channels = 64;
  for (const std::int64_t width : {std::int64_t{64}, std::int64_t{128}, std::int64_t{256}, kFeatures}) {
    network->push_back(basic_block(channels, width, width == channels ? 1 : 2));
    network->push_back(basic_block(width, width, 1));
    channels = width;
  }
  network->push_back(nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions(1)));
  network->push_back(nn::Flatten());
  return network;
}

/// Copies one image of each pair to contiguous memory, since channels-last interleaves them. Keeps the
/// layout.
at::Tensor image(const at::Tensor& pairs, std::int64_t position) {
  return pairs.narrow(1, position, 1).contiguous(pairs.suggest_memory_format());
}

class Siamese : public SingleLossModel {
 public:
  Siamese()
      : SingleLossModel({"loss", "accuracy"}, {.recipe = AdadeltaRecipe{}, .epoch_decay = kEpochDecay}),
        features_(register_module("features", resnet18())),
        comparison_(register_module("comparison",
                                    nn::Sequential(dense(2 * kFeatures, 256), relu(), dense(256, 1)))) {}

  /// Returns a logit per pair.
  at::Tensor predict(const at::Tensor& pairs) override {
    // Separate passes, as in the example: batch normalization uses the statistics of each.
    const at::Tensor first = features_->forward(image(pairs, 0));
    const at::Tensor second = features_->forward(image(pairs, 1));
    return comparison_->forward(at::cat({first, second}, 1)).flatten();
  }

  /// `results`: mean losses, logits and targets.
  at::Tensor score(const Results& results, std::int64_t samples) const override {
    return loss_and_correct(results[0] * samples, results[1].gt(0), results[2]);
  }

 private:
  /// Computes binary cross-entropy from logits: accurate in every precision, and allowed by autocast.
  Results compute(const Batch& batch) override {
    const at::Tensor logits = predict(batch.inputs);
    const at::Tensor loss =
        at::binary_cross_entropy_with_logits(logits.to(at::kFloat), batch.targets.to(at::kFloat));
    return {loss, logits, batch.targets};
  }

  nn::Sequential features_;
  nn::Sequential comparison_;
};

}  // namespace

std::shared_ptr<Model> build_siamese(const ModelSizes&) { return std::make_shared<Siamese>(); }

}  // namespace gpubench::siamese_plugin
