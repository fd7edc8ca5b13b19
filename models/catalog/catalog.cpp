#include "gpubench/model_catalog.h"

namespace gpubench {
namespace {

DataSpec fashion_images() { return {Task::kClassification, {1, 28, 28}, 10}; }

DataSpec cifar_images() { return {Task::kClassification, {3, 32, 32}, 10}; }

DataSpec images(std::int64_t channels, std::int64_t side) {
  return {Task::kImages, {channels, side, side}, 0};
}

/// Pairs of square images with one channel, of equal or different classes.
DataSpec pairs(std::int64_t side) { return {Task::kPairs, {2, side, side}, 2}; }

DataSpec tokens(std::int64_t length, std::int64_t vocabulary) {
  return {Task::kLanguage, {length}, vocabulary};
}

}  // namespace

const Catalog<ModelEntry>& model_catalog() {
#define GPUBENCH_MODEL(name, source, architecture, summary, data, item, ...) \
  ModelEntry{#name, summary, #architecture, data, item, nullptr, __VA_ARGS__},
  static const Catalog<ModelEntry> all("model", {
#include "catalog.def"
                                                });
#undef GPUBENCH_MODEL
  return all;
}

}  // namespace gpubench
