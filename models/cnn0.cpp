#include "blocks.h"
#include "gpubench/model_catalog.h"

namespace gpubench {

ModelEntry entry_cnn0() {
  return {"cnn0",  "cnn on CIFAR-10 (S1)",
          "cnn",   cifar_images(),
          "image", [](const ModelSizes&) { return small_cnn(3, 1024); }};
}

}  // namespace gpubench
