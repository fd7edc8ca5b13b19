#include "blocks.h"

namespace gpubench::mlp_plugin {
namespace {

std::shared_ptr<Model> build(const ModelSizes&) {
  // Braces, so that the layers draw their weights in this order.
  return make_classifier(nn::Sequential{nn::Flatten(), Dense(784, 512), relu(), Dropout(0.2), Dense(512, 64),
                                        relu(), Dense(64, 10)});
}

}  // namespace

ModelEntry entry_mlp() {
  return {"mlp", "dense 512, dropout 0.2, dense 64, dense 10 (S0)", "mlp", fashion_images(), "image", build};
}

}  // namespace gpubench::mlp_plugin
