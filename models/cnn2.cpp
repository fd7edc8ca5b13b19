#include "blocks.h"
#include "gpubench/model_catalog.h"

namespace gpubench {
namespace {

std::shared_ptr<Model> build(const ModelSizes&) {
  LayerStack stack;
  stack.conv_relu(3, 32, 3, Padding::kSame).pool2();
  stack.conv_relu(32, 64, 3, Padding::kSame).conv_relu(64, 64, 3, Padding::kSame).pool2();
  stack.conv_relu(64, 128, 3, Padding::kSame).conv_relu(128, 128, 3, Padding::kSame).flatten();
  stack.dense_relu(8192, 64).dense(64, 10);
  return stack.classifier();
}

}  // namespace

ModelEntry entry_cnn2() {
  return {"cnn2",  "five 3x3 convolutions 32-64-64-128-128, dense 64, dense 10 (S1)",
          "cnn2",  cifar_images(),
          "image", build};
}

}  // namespace gpubench
