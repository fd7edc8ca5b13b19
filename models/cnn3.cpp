#include "blocks.h"
#include "gpubench/model_catalog.h"

namespace gpubench {
namespace {

std::shared_ptr<Model> build(const ModelSizes&) {
  LayerStack stack;
  stack.conv_relu(3, 64, 7, Padding::kSame).pool2();
  stack.conv_relu(64, 128, 3, Padding::kSame).conv_relu(128, 128, 3, Padding::kSame).pool2();
  stack.conv_relu(128, 256, 3, Padding::kSame).conv_relu(256, 256, 3, Padding::kSame).pool2().flatten();
  stack.dense_relu(4096, 128).dropout(0.5).dense_relu(128, 64).dropout(0.5).dense(64, 10);
  return stack.classifier();
}

}  // namespace

ModelEntry entry_cnn3() {
  return {"cnn3",  "7x7 convolution 64, 3x3 128-128-256-256, dense 128-64-10, dropout 0.5 (S1)",
          "cnn3",  cifar_images(),
          "image", build};
}

}  // namespace gpubench
