#include "blocks.h"
#include "entries.h"

namespace gpubench {
namespace {

std::shared_ptr<Model> build(const ModelSizes&) { return small_cnn(3, 1024); }

}  // namespace

ModelEntry entry_cnn0() { return {"cnn0", "cnn on CIFAR-10 (S1)", "cnn", cifar_images(), "image", build}; }

}  // namespace gpubench
