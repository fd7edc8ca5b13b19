#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/model_catalog.h"

namespace gpubench {
namespace {

void check_range(const ModelOption& option, std::int64_t value) {
  if (value >= option.minimum && value <= option.maximum) return;
  throw Error(ErrorKind::kUsage, "--sizes {}={}: give {} to {}", option.name, value, option.minimum,
              option.maximum);
}

}  // namespace

ModelSizes all_sizes(const ModelEntry& entry, const ModelSizes& chosen) {
  if (entry.options.empty() && !chosen.empty()) {
    throw Error(ErrorKind::kUsage, "--sizes {}: {} comes in one size; leave it out", chosen.begin()->first,
                entry.name);
  }
  const Catalog<ModelOption> options("size of " + entry.name, entry.options);
  ModelSizes sizes;
  for (const ModelOption& option : options) sizes[option.name] = option.value;
  for (const auto& [name, value] : chosen) {
    check_range(options.require(name, "--sizes"), value);
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
  const auto text_of = [&](const ModelOption& option) {
    return fmt::format("{}={}", option.name, sizes.at(option.name));
  };
  return join(mapped(entry.options, text_of), ",");
}

}  // namespace gpubench
