#include "blocks.h"
#include "gpubench/model_catalog.h"

namespace gpubench::mlp_plugin {
namespace {

std::shared_ptr<Model> build(const ModelSizes&) {
  LayerStack stack;
  stack.flatten().dense_relu(784, 512).dropout(0.2);
  return stack.dense_relu(512, 64).dense(64, 10).classifier();
}

}  // namespace

ModelEntry entry_mlp() {
  return {"mlp", "dense 512, dropout 0.2, dense 64, dense 10 (S0)", "mlp", fashion_images(), "image", build};
}

}  // namespace gpubench::mlp_plugin
