// The convolutional networks of S0 and S1.

#include "blocks.h"

namespace gpubench::cnn_plugin {
namespace {

/// Pads with `border` zeros.
nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t border) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).padding(border));
}

/// Pools before ReLU, which then has a quarter to do: the largest of four is the same.
nn::MaxPool2d pool() { return nn::MaxPool2d(nn::MaxPool2dOptions(2)); }

// Braces, so that the layers draw their weights in the order in which they are listed.

/// `flat_features`: values that the last convolution leaves of an image.
std::shared_ptr<Model> build_cnn(std::int64_t in_channels, std::int64_t flat_features) {
  return make_classifier(nn::Sequential{conv(in_channels, 32, 3, 0), pool(), relu(), conv(32, 64, 3, 0),
                                        pool(), relu(), conv(64, 64, 3, 0), relu(), nn::Flatten(),
                                        Dense(flat_features, 64), relu(), Dense(64, 10)});
}

std::shared_ptr<Model> build_cnn1(const ModelSizes&) {
  return make_classifier(nn::Sequential{conv(3, 32, 3, 1), pool(), relu(), conv(32, 64, 3, 1), pool(), relu(),
                                        conv(64, 128, 3, 1), pool(), relu(), nn::Flatten(), Dense(2048, 64),
                                        relu(), Dense(64, 10)});
}

std::shared_ptr<Model> build_cnn2(const ModelSizes&) {
  return make_classifier(nn::Sequential{conv(3, 32, 3, 1), pool(), relu(), conv(32, 64, 3, 1), relu(),
                                        conv(64, 64, 3, 1), pool(), relu(), conv(64, 128, 3, 1), relu(),
                                        conv(128, 128, 3, 1), relu(), nn::Flatten(), Dense(8192, 64), relu(),
                                        Dense(64, 10)});
}

std::shared_ptr<Model> build_cnn3(const ModelSizes&) {
  nn::Sequential network{conv(3, 64, 7, 3),    pool(), relu(), conv(64, 128, 3, 1),  relu(),
                         conv(128, 128, 3, 1), pool(), relu(), conv(128, 256, 3, 1), relu(),
                         conv(256, 256, 3, 1), pool(), relu(), nn::Flatten()};
  for (const std::int64_t width : {128, 64}) {
    network->push_back(Dense(width == 128 ? 4096 : 128, width));
    network->push_back(relu());
    network->push_back(Dropout(0.5));
  }
  network->push_back(Dense(64, 10));
  return make_classifier(std::move(network));
}

}  // namespace

ModelEntry entry_cnn() {
  return {"cnn",   "three 3x3 convolutions 32-64-64, dense 64, dense 10 (S0)", "cnn", fashion_images(),
          "image", [](const ModelSizes&) { return build_cnn(1, 576); }};
}

ModelEntry entry_cnn0() {
  ModelEntry entry = entry_cnn();
  entry.name = "cnn0";
  entry.summary = "cnn on CIFAR-10 (S1)";
  entry.spec = cifar_images();
  entry.build = [](const ModelSizes&) { return build_cnn(3, 1024); };
  return entry;
}

ModelEntry entry_cnn1() {
  const char* const summary = "three 3x3 convolutions 32-64-128, dense 64, dense 10 (S1)";
  return {"cnn1", summary, "cnn1", cifar_images(), "image", build_cnn1};
}

ModelEntry entry_cnn2() {
  const char* const summary = "five 3x3 convolutions 32-64-64-128-128, dense 64, dense 10 (S1)";
  return {"cnn2", summary, "cnn2", cifar_images(), "image", build_cnn2};
}

ModelEntry entry_cnn3() {
  const char* const summary = "7x7 convolution 64, 3x3 128-128-256-256, dense 128-64-10, dropout 0.5 (S1)";
  return {"cnn3", summary, "cnn3", cifar_images(), "image", build_cnn3};
}

}  // namespace gpubench::cnn_plugin
