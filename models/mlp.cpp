#include "blocks.h"

namespace gpubench::mlp_plugin {

std::shared_ptr<Model> build_mlp(const ModelSizes&) {
  // Braces make the layers draw their weights in the listed order.
  return make_classifier(nn::Sequential{nn::Flatten(), Dense(784, 512), relu(), Dropout(0.2), Dense(512, 64),
                                        relu(), Dense(64, 10)});
}

}  // namespace gpubench::mlp_plugin
