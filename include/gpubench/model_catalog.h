#pragma once
// The models that gpubench knows, without LibTorch: names, what data they take, and how to build one.

#include <memory>
#include <string>

#include "gpubench/core/catalog.h"
#include "gpubench/record/data_spec.h"

namespace gpubench {

class Model;

/// A model. Implementations live in models, one file each; see CONTRIBUTING.md.
struct ModelEntry {
  std::string name;     ///< Command-line name, e.g. "cnn0".
  std::string summary;  ///< One line for `gpubench list`: the layers and where the network was published.

  /// The architecture that this entry is one size of. Where `--model cnn` names an entry that does not take
  /// the chosen dataset, the entry of the same architecture that does take it is used. Equal to `name` for
  /// most.
  std::string architecture;

  DataSpec spec;     ///< The only data it takes.
  std::string item;  ///< What a sample is, singular: "image".

  /// A new model in host memory with weights drawn from LibTorch's default generator.
  std::shared_ptr<Model> (*build)();
};

/// All models, in the order of models/catalog.def.
const Catalog<ModelEntry>& models();

}  // namespace gpubench
