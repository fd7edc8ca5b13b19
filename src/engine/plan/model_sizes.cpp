#include <fmt/format.h>

#include "gpubench/core/nearest.h"
#include "gpubench/model_catalog.h"

namespace gpubench {
namespace {

const ModelOption& option_named(const ModelEntry& entry, const std::string& name) {
  std::vector<std::string> known;
  for (const ModelOption& option : entry.options) {
    if (option.name == name) return option;
    known.push_back(option.name);
  }
  if (known.empty()) {
    throw Error(ErrorKind::kUsage, "--sizes {}: {} comes in one size; leave it out", name, entry.name);
  }
  throw Error(ErrorKind::kUsage, "--sizes: " + unknown_name_message("size of " + entry.name, name, known));
}

void check_range(const ModelOption& option, std::int64_t value) {
  if (value >= option.minimum && value <= option.maximum) return;
  throw Error(ErrorKind::kUsage, "--sizes {}={}: give {} to {}", option.name, value, option.minimum,
              option.maximum);
}

}  // namespace

ModelSizes all_sizes(const ModelEntry& entry, const ModelSizes& chosen) {
  ModelSizes sizes;
  for (const ModelOption& option : entry.options) sizes[option.name] = option.value;
  for (const auto& [name, value] : chosen) {
    check_range(option_named(entry, name), value);
    sizes[name] = value;
  }
  return sizes;
}

DataSpec spec_at(const ModelEntry& entry, const ModelSizes& chosen) {
  DataSpec spec = entry.spec;
  const ModelSizes sizes = all_sizes(entry, chosen);
  for (const ModelOption& option : entry.options) {
    if (option.sample_dimension < 0) continue;
    spec.sample_shape.at(static_cast<std::size_t>(option.sample_dimension)) = sizes.at(option.name);
  }
  return spec;
}

std::string sizes_text(const ModelEntry& entry, const ModelSizes& sizes) {
  std::vector<std::string> words;
  for (const ModelOption& option : entry.options) {
    words.push_back(fmt::format("{}={}", option.name, sizes.at(option.name)));
  }
  return join(words, ",");
}

}  // namespace gpubench
