#include <torch/nn/modules/activation.h>

#include "blocks.h"

namespace gpubench::mlp_plugin {

namespace nn = torch::nn;

std::shared_ptr<Model> build_mlp(const ModelSizes&) {
  // Braces, so that the layers draw their weights in this order.
  return make_classifier(nn::Sequential{nn::Flatten(), Dense(784, 512), nn::ReLU(true), Dropout(0.2),
                                        Dense(512, 64), nn::ReLU(true), Dense(64, 10)});
}

}  // namespace gpubench::mlp_plugin
