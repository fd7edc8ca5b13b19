// The convolutional networks of S0 and S1.

#include "blocks.h"
#include "gpubench/model_catalog.h"

namespace gpubench::cnn_plugin {
namespace {

/// `flat_features`: values that the last convolution leaves of an image.
std::shared_ptr<Model> build_cnn(std::int64_t in_channels, std::int64_t flat_features) {
  LayerStack stack;
  stack.conv_relu(in_channels, 32, 3, Padding::kValid).pool2();
  stack.conv_relu(32, 64, 3, Padding::kValid).pool2();
  stack.conv_relu(64, 64, 3, Padding::kValid).flatten();
  return stack.dense_relu(flat_features, 64).dense(64, 10).classifier();
}

std::shared_ptr<Model> build_cnn1(const ModelSizes&) {
  LayerStack stack;
  stack.conv_relu(3, 32, 3, Padding::kSame).pool2();
  stack.conv_relu(32, 64, 3, Padding::kSame).pool2();
  stack.conv_relu(64, 128, 3, Padding::kSame).pool2().flatten();
  return stack.dense_relu(2048, 64).dense(64, 10).classifier();
}

std::shared_ptr<Model> build_cnn2(const ModelSizes&) {
  LayerStack stack;
  stack.conv_relu(3, 32, 3, Padding::kSame).pool2();
  stack.conv_relu(32, 64, 3, Padding::kSame).conv_relu(64, 64, 3, Padding::kSame).pool2();
  stack.conv_relu(64, 128, 3, Padding::kSame).conv_relu(128, 128, 3, Padding::kSame).flatten();
  return stack.dense_relu(8192, 64).dense(64, 10).classifier();
}

std::shared_ptr<Model> build_cnn3(const ModelSizes&) {
  LayerStack stack;
  stack.conv_relu(3, 64, 7, Padding::kSame).pool2();
  stack.conv_relu(64, 128, 3, Padding::kSame).conv_relu(128, 128, 3, Padding::kSame).pool2();
  stack.conv_relu(128, 256, 3, Padding::kSame).conv_relu(256, 256, 3, Padding::kSame).pool2().flatten();
  stack.dense_relu(4096, 128).dropout(0.5).dense_relu(128, 64).dropout(0.5).dense(64, 10);
  return stack.classifier();
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
