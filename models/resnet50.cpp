// ResNet-50 of He et al., "Deep Residual Learning for Image Recognition" (2015), as in keras.applications:
// biases, the stride on the first 1x1 of a stage, batch normalization with epsilon 1.001e-5.

#include "blocks.h"

namespace gpubench::resnet50_plugin {
namespace {

/// Keras' momentum 0.99 is the kept fraction of the running statistics, LibTorch's the replaced fraction.
nn::BatchNorm2d batch_norm(std::int64_t channels) {
  return nn::BatchNorm2d(nn::BatchNorm2dOptions(channels).eps(1.001e-5).momentum(0.01));
}

Convolution conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
  return Convolution(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2));
}

/// 1x1, 3x3 and 1x1 convolutions with a shortcut, which is projected in the first block of a stage.
ResidualBlock bottleneck(std::int64_t in, std::int64_t width, std::int64_t stride, bool is_first) {
  const nn::Sequential residual(conv(in, width, 1, stride), batch_norm(width), relu(),
                                conv(width, width, 3, 1), batch_norm(width), relu(),
                                conv(width, 4 * width, 1, 1), batch_norm(4 * width));
  if (!is_first) return ResidualBlock(residual);
  return ResidualBlock(residual, nn::Sequential(conv(in, 4 * width, 1, stride), batch_norm(4 * width)));
}

/// Width and number of blocks of each stage. The stages after the first halve height and width.
constexpr std::pair<std::int64_t, int> kStages[] = {{64, 3}, {128, 4}, {256, 6}, {512, 3}};

}  // namespace

std::shared_ptr<Model> build_resnet50(const ModelSizes& sizes) {
  // Pools before ReLU, which then has a quarter of the values. The result is the same.
  nn::Sequential network(conv(3, 64, 7, 2), batch_norm(64),
                         nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1)), relu());
  std::int64_t channels = 64;
  for (const auto& [width, blocks] : kStages) {
    for (int block = 0; block < blocks; ++block) {
      network->push_back(bottleneck(channels, width, block == 0 && width > 64 ? 2 : 1, block == 0));
      channels = 4 * width;
    }
  }
  network->push_back(nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions(1)));
  network->push_back(nn::Flatten());
  network->push_back(Dense(channels, sizes.at("classes")));
  return make_classifier(std::move(network));
}

}  // namespace gpubench::resnet50_plugin
