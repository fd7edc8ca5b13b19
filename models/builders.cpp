// The catalog of models with the functions that build them.

#include "gpubench/model_catalog.h"

namespace gpubench {

#define GPUBENCH_MODEL(name, source, ...)                         \
  namespace source##_plugin {                                     \
    std::shared_ptr<Model> build_##name(const ModelSizes& sizes); \
  }
#include "catalog/catalog.def"
#undef GPUBENCH_MODEL

const Catalog<ModelEntry>& models() {
  const auto with = [](const char* name, decltype(ModelEntry::build) build) {
    ModelEntry entry = model_catalog().require(name, "");
    entry.build = build;
    return entry;
  };
#define GPUBENCH_MODEL(name, source, ...) with(#name, source##_plugin::build_##name),
  static const Catalog<ModelEntry> all("model", {
#include "catalog/catalog.def"
                                                });
#undef GPUBENCH_MODEL
  return all;
}

}  // namespace gpubench
