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

/// Effect of a size on the data that a model requires.
enum class DataEffect {
  kNone,
  kLength,   ///< Sets the length of sequences.
  kSide,     ///< Sets height and width of images.
  kClasses,  ///< Sets the number of classes or tokens.
};

/// A configurable size of a network.
struct ModelOption {
  std::string name;        ///< Name on the command line: "embedding".
  std::string summary;     ///< One line.
  std::int64_t value = 0;  ///< Default.
  std::int64_t minimum = 1;
  std::int64_t maximum = 0;
  DataEffect effect = DataEffect::kNone;
};

/// Values by name of the option. Missing options have their defaults.
using ModelSizes = std::map<std::string, std::int64_t>;

/// Named sizes of a network, such as "350m".
struct ModelPreset {
  std::string name;
  ModelSizes sizes;
};

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
  std::vector<ModelPreset> presets = {};  ///< Mostly empty. Their names are unique and differ from options.
};

/// Parses "layers=4,heads=2" or "350m,context=512". Throws a usage Error for an unknown preset.
ModelSizes parse_sizes(const ModelEntry& entry, const std::string& text);

/// Returns a value for each option. Throws a usage Error for an unknown name or a value out of range.
ModelSizes all_sizes(const ModelEntry& entry, const ModelSizes& chosen);

/// Formats the sizes that differ from their defaults, in the order of the options: "embedding=500,layers=4".
std::string sizes_text(const ModelEntry& entry, const ModelSizes& sizes);

/// Returns the data that the model requires at these sizes.
DataSpec spec_at(const ModelEntry& entry, const ModelSizes& chosen);

/// Returns all models, in the order of models/catalog/catalog.def.
const Catalog<ModelEntry>& model_catalog();

/// Returns all models with `build` set; part of the engine.
const Catalog<ModelEntry>& models();

}  // namespace gpubench
