// Convolutional networks of S0 and S1.

#include "blocks.h"

namespace gpubench::cnn_plugin {
namespace {

nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t border) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).padding(border));
}

// Braces make the layers draw their weights in the listed order.

/// `flat_features`: values per image after the last convolution.
std::shared_ptr<Model> build(std::int64_t in_channels, std::int64_t flat_features) {
  return make_classifier(nn::Sequential{conv(in_channels, 32, 3, 0), PoolAndRelu(), conv(32, 64, 3, 0),
                                        PoolAndRelu(), conv(64, 64, 3, 0), relu(), nn::Flatten(),
                                        Dense(flat_features, 64), relu(), Dense(64, 10)});
}

}  // namespace

std::shared_ptr<Model> build_cnn(const ModelSizes&) { return build(1, 576); }

std::shared_ptr<Model> build_cnn0(const ModelSizes&) { return build(3, 1024); }

std::shared_ptr<Model> build_cnn1(const ModelSizes&) {
  return make_classifier(nn::Sequential{conv(3, 32, 3, 1), PoolAndRelu(), conv(32, 64, 3, 1), PoolAndRelu(),
                                        conv(64, 128, 3, 1), PoolAndRelu(), nn::Flatten(), Dense(2048, 64),
                                        relu(), Dense(64, 10)});
}

std::shared_ptr<Model> build_cnn2(const ModelSizes&) {
  return make_classifier(nn::Sequential{conv(3, 32, 3, 1), PoolAndRelu(), conv(32, 64, 3, 1), relu(),
                                        conv(64, 64, 3, 1), PoolAndRelu(), conv(64, 128, 3, 1), relu(),
                                        conv(128, 128, 3, 1), relu(), nn::Flatten(), Dense(8192, 64), relu(),
                                        Dense(64, 10)});
}

std::shared_ptr<Model> build_cnn3(const ModelSizes&) {
  nn::Sequential network{conv(3, 64, 7, 3),    PoolAndRelu(), conv(64, 128, 3, 1),  relu(),
                         conv(128, 128, 3, 1), PoolAndRelu(), conv(128, 256, 3, 1), relu(),
                         conv(256, 256, 3, 1), PoolAndRelu(), nn::Flatten()};
  for (const std::int64_t width : {128, 64}) {
    network->push_back(Dense(width == 128 ? 4096 : 128, width));
    network->push_back(relu());
    network->push_back(Dropout(0.5));
  }
  network->push_back(Dense(64, 10));
  return make_classifier(std::move(network));
}

}  // namespace gpubench::cnn_plugin
