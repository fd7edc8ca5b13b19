// Convolutional networks of S0 and S1.

#include "blocks.h"

namespace gpubench::cnn_plugin {
namespace {

Convolution conv(std::int64_t in, std::int64_t out, std::int64_t border) {
  return Convolution(nn::Conv2dOptions(in, out, 3).padding(border));
}

// Braces make the layers draw their weights in the listed order.

/// `flat_features`: values per image after the last convolution.
std::shared_ptr<Model> build(std::int64_t in_channels, std::int64_t flat_features) {
  return make_classifier(nn::Sequential{PooledConvolution(in_channels, 32, 3, 0),
                                        PooledConvolution(32, 64, 3, 0), conv(64, 64, 0), relu(),
                                        nn::Flatten(), Dense(flat_features, 64), relu(), Dense(64, 10)});
}

}  // namespace

std::shared_ptr<Model> build_cnn(const ModelSizes&) { return build(1, 576); }

std::shared_ptr<Model> build_cnn0(const ModelSizes&) { return build(3, 1024); }

std::shared_ptr<Model> build_cnn1(const ModelSizes&) {
  return make_classifier(nn::Sequential{PooledConvolution(3, 32, 3, 1), PooledConvolution(32, 64, 3, 1),
                                        PooledConvolution(64, 128, 3, 1), nn::Flatten(), Dense(2048, 64),
                                        relu(), Dense(64, 10)});
}

std::shared_ptr<Model> build_cnn2(const ModelSizes&) {
  return make_classifier(nn::Sequential{PooledConvolution(3, 32, 3, 1), conv(32, 64, 1), relu(),
                                        PooledConvolution(64, 64, 3, 1), conv(64, 128, 1), relu(),
                                        conv(128, 128, 1), relu(), nn::Flatten(), Dense(8192, 64), relu(),
                                        Dense(64, 10)});
}

std::shared_ptr<Model> build_cnn3(const ModelSizes&) {
  return make_classifier(nn::Sequential{
      PooledConvolution(3, 64, 7, 3), conv(64, 128, 1), relu(), PooledConvolution(128, 128, 3, 1),
      conv(128, 256, 1), relu(), PooledConvolution(256, 256, 3, 1), nn::Flatten(), Dense(4096, 128), relu(),
      Dropout(0.5), Dense(128, 64), relu(), Dropout(0.5), Dense(64, 10)});
}

}  // namespace gpubench::cnn_plugin
