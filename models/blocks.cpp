#include "blocks.h"

#include <utility>

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/pooling.h>

#include "torch_blocks.h"

namespace gpubench {

namespace nn = torch::nn;

DataSpec fashion_images() { return {Task::kClassification, {1, 28, 28}, 10}; }

DataSpec cifar_images() { return {Task::kClassification, {3, 32, 32}, 10}; }

LayerStack::LayerStack() : layers_(std::make_shared<nn::SequentialImpl>()) {}

template <class Layer>
LayerStack& LayerStack::add(const Layer& layer) {
  if (std::exchange(is_relu_due_, false)) layers_->push_back(nn::ReLU(/*inplace=*/true));
  layers_->push_back(layer);
  return *this;
}

LayerStack& LayerStack::conv_relu(std::int64_t in_channels, std::int64_t out_channels, std::int64_t kernel,
                                  Padding padding) {
  const std::int64_t border = padding == Padding::kSame ? kernel / 2 : 0;
  add(nn::Conv2d(nn::Conv2dOptions(in_channels, out_channels, kernel).padding(border)));
  is_relu_due_ = true;
  return *this;
}

LayerStack& LayerStack::pool2() {
  // The largest of four is the same before ReLU and after it, which then has a quarter to do.
  const bool is_relu_next = std::exchange(is_relu_due_, false);
  add(nn::MaxPool2d(nn::MaxPool2dOptions(2)));
  is_relu_due_ = is_relu_next;
  return *this;
}

LayerStack& LayerStack::flatten() { return add(nn::Flatten()); }

LayerStack& LayerStack::dropout(double probability) { return add(Dropout(probability)); }

LayerStack& LayerStack::dense(std::int64_t in_features, std::int64_t out_features) {
  return add(Dense(in_features, out_features));
}

LayerStack& LayerStack::dense_relu(std::int64_t in_features, std::int64_t out_features) {
  dense(in_features, out_features);
  is_relu_due_ = true;
  return *this;
}

std::shared_ptr<Model> LayerStack::classifier() const { return make_classifier(layers_); }

std::shared_ptr<Model> small_cnn(std::int64_t in_channels, std::int64_t flat_features) {
  LayerStack stack;
  stack.conv_relu(in_channels, 32, 3, Padding::kValid).pool2();
  stack.conv_relu(32, 64, 3, Padding::kValid).pool2();
  stack.conv_relu(64, 64, 3, Padding::kValid).flatten();
  stack.dense_relu(flat_features, 64).dense(64, 10);
  return stack.classifier();
}

}  // namespace gpubench
