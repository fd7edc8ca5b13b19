#include "blocks.h"
#include "gpubench/model_catalog.h"

namespace gpubench {

ModelEntry entry_cnn() {
  return {"cnn",   "three 3x3 convolutions 32-64-64, dense 64, dense 10 (S0)", "cnn", fashion_images(),
          "image", [](const ModelSizes&) { return small_cnn(1, 576); }};
}

}  // namespace gpubench
