#pragma once
// Layers that several models share. No LibTorch here: a model made of these compiles in a moment.

#include <cstdint>
#include <memory>

#include "gpubench/model_catalog.h"

namespace torch::nn {
class SequentialImpl;
}  // namespace torch::nn

namespace gpubench {

/// Fashion-MNIST's shape: 1x28x28, 10 classes.
DataSpec fashion_images();

/// CIFAR-10's shape: 3x32x32, 10 classes.
DataSpec cifar_images();

/// What a convolution does at the border.
enum class Padding { kValid, kSame };

/// Layers one after the other, in the order of the calls; each call returns the stack.
class LayerStack {
 public:
  LayerStack();

  /// Square convolution, stride 1, with bias; then ReLU. `kernel` is odd.
  LayerStack& conv_relu(std::int64_t in_channels, std::int64_t out_channels, std::int64_t kernel,
                        Padding padding);
  /// 2x2 max pooling, stride 2; an odd last row or column is dropped.
  LayerStack& pool2();
  LayerStack& flatten();
  LayerStack& dropout(double probability);
  /// Fully connected layer with bias; then ReLU.
  LayerStack& dense_relu(std::int64_t in_features, std::int64_t out_features);
  /// Fully connected layer with bias.
  LayerStack& dense(std::int64_t in_features, std::int64_t out_features);

  /// The classifier whose logits the last layer gives, which is no ReLU; see make_classifier.
  std::shared_ptr<Model> classifier() const;

 private:
  template <class Layer>
  LayerStack& add(const Layer& layer);

  std::shared_ptr<torch::nn::SequentialImpl> layers_;
  bool is_relu_due_ = false;  // After the last layer, or after the pooling that follows it.
};

/// The CNN of S0 and S1: conv3 32 valid, pool2, conv3 64 valid, pool2, conv3 64 valid, dense 64, dense 10.
/// `flat_features` is what the last convolution leaves of an image.
std::shared_ptr<Model> small_cnn(std::int64_t in_channels, std::int64_t flat_features);

}  // namespace gpubench
