#pragma once
// Catalog of models, without LibTorch: names, data requirements and factories.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpubench/core/catalog.h"
#include "gpubench/record/data_spec.h"

namespace gpubench {

class Model;

/// A configurable size of a network.
struct ModelOption {
  std::string name;        ///< Name on the command line: "embedding".
  std::string summary;     ///< One line.
  std::int64_t value = 0;  ///< Default.
  std::int64_t minimum = 1;
  std::int64_t maximum = 0;
  int sample_dimension = -1;  ///< Dimension of a sample that it sets; -1: none.
};

/// Values by name of the option. Missing options have their defaults.
using ModelSizes = std::map<std::string, std::int64_t>;

/// Catalog entry of a model. Implementations: models, one file each; see CONTRIBUTING.md.
struct ModelEntry {
  std::string name;     ///< Command-line name, e.g. "cnn0".
  std::string summary;  ///< One line for `gpubench list`: layers and publication of the network.

  /// Group of entries that differ in size only; mostly `name`. If `--model` names an entry that does not fit
  /// the dataset, an entry of the same architecture that fits is used.
  std::string architecture;

  DataSpec spec;     ///< Required data.
  std::string item;  ///< Unit of samples, singular: "image".

  /// Makes a model in host memory, with weights from LibTorch's default generator. `sizes` has a value for
  /// each option. Null without the engine.
  std::shared_ptr<Model> (*build)(const ModelSizes& sizes);

  std::vector<ModelOption> options = {};  ///< Mostly empty.
};

/// Returns a value for each option. Throws a usage Error for an unknown name or a value out of range.
ModelSizes all_sizes(const ModelEntry& entry, const ModelSizes& chosen);

/// Formats all sizes in the order of the options, "embedding=200,layers=2"; empty without options.
std::string sizes_text(const ModelEntry& entry, const ModelSizes& sizes);

/// Returns the data that the model requires at these sizes.
DataSpec spec_at(const ModelEntry& entry, const ModelSizes& chosen);

/// Returns all models, in the order of models/catalog/catalog.def.
const Catalog<ModelEntry>& model_catalog();

/// Returns all models with `build` set; part of the engine.
const Catalog<ModelEntry>& models();

}  // namespace gpubench
