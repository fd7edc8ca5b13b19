#include "blocks.h"
#include "gpubench/model_catalog.h"

namespace gpubench {
namespace {

std::shared_ptr<Model> build(const ModelSizes&) {
  LayerStack stack;
  stack.conv_relu(3, 32, 3, Padding::kSame).pool2();
  stack.conv_relu(32, 64, 3, Padding::kSame).pool2();
  stack.conv_relu(64, 128, 3, Padding::kSame).pool2().flatten();
  stack.dense_relu(2048, 64).dense(64, 10);
  return stack.classifier();
}

}  // namespace

ModelEntry entry_cnn1() {
  return {"cnn1",  "three 3x3 convolutions 32-64-128, dense 64, dense 10 (S1)",
          "cnn1",  cifar_images(),
          "image", build};
}

}  // namespace gpubench
