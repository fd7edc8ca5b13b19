#pragma once
// The models that gpubench knows, without LibTorch: names, what data they take, and how to build one.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpubench/core/catalog.h"
#include "gpubench/record/data_spec.h"

namespace gpubench {

class Model;

/// A size of a network that a user may choose.
struct ModelOption {
  std::string name;        ///< As on the command line: "embedding".
  std::string summary;     ///< One line.
  std::int64_t value = 0;  ///< Unless chosen otherwise.
  std::int64_t minimum = 1;
  std::int64_t maximum = 0;
  int sample_dimension = -1;  ///< The dimension of a sample that it sets; -1: none.
};

/// What was chosen, by name of the option; those left out have the option's own value.
using ModelSizes = std::map<std::string, std::int64_t>;

/// A model. Implementations live in models, one file each; see CONTRIBUTING.md.
struct ModelEntry {
  std::string name;     ///< Command-line name, e.g. "cnn0".
  std::string summary;  ///< One line for `gpubench list`: the layers and where the network was published.

  /// The architecture that this entry is one size of; for most `name`. Where `--model` names an entry that
  /// does not take the dataset, the one of its architecture that does is used.
  std::string architecture;

  DataSpec spec;     ///< The only data it takes.
  std::string item;  ///< What a sample is, singular: "image".

  /// A new model in host memory with weights drawn from LibTorch's default generator. `sizes` has a value for
  /// each of the options. Null without the engine.
  std::shared_ptr<Model> (*build)(const ModelSizes& sizes);

  std::vector<ModelOption> options = {};  ///< None for most.
};

/// A value for each of the model's options. Throws a usage Error for an unknown name or a value out of range.
ModelSizes all_sizes(const ModelEntry& entry, const ModelSizes& chosen);

/// "embedding=200,layers=2": all of them, in the order of the options; empty for a model without any.
std::string sizes_text(const ModelEntry& entry, const ModelSizes& sizes);

/// What the model takes at these sizes.
DataSpec spec_at(const ModelEntry& entry, const ModelSizes& chosen);

/// Returns all models, in the order of models/catalog/catalog.def.
const Catalog<ModelEntry>& model_catalog();

/// Returns these with `build`, in the engine.
const Catalog<ModelEntry>& models();

}  // namespace gpubench
