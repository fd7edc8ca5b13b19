#include "gpubench/record/data_spec.h"

#include <fmt/ranges.h>

namespace gpubench {
namespace {

bool is_stream(const DataSpec& spec) { return spec.task == Task::kLanguage && spec.sample_shape.empty(); }

std::string extents(const DataSpec& spec) { return fmt::format("{}", fmt::join(spec.sample_shape, "x")); }

}  // namespace

bool can_feed(const DataSpec& given, const DataSpec& wanted) {
  switch (wanted.task) {
    case Task::kClassification:
      return given == wanted;
    case Task::kPairs: {
      std::vector<std::int64_t> pair = given.sample_shape;
      if (!pair.empty()) pair.front() *= 2;  // The channels of both images.
      return given.task == Task::kClassification && pair == wanted.sample_shape;
    }
    case Task::kImages:
      return (given.task == Task::kClassification || given.task == Task::kImages) &&
             given.sample_shape == wanted.sample_shape;
    case Task::kLanguage:
      return is_stream(given) && given.classes <= wanted.classes;
  }
  return false;
}

SplitSizes arranged_sizes(const SplitSizes& sizes, const DataSpec& given, const DataSpec& wanted) {
  if (!is_stream(given) || is_stream(wanted)) return sizes;
  const auto sequences = [&](std::int64_t tokens) {
    return tokens > 0 ? (tokens - 1) / wanted.sample_shape.front() : 0;
  };
  return {sequences(sizes.train), sequences(sizes.validation), sequences(sizes.test)};
}

std::string to_string(const DataSpec& spec) {
  const std::string classes = std::to_string(spec.classes);
  switch (spec.task) {
    case Task::kClassification:
      return extents(spec) + ", " + classes + " classes";
    case Task::kPairs:
      return "pairs of images, together " + extents(spec);
    case Task::kImages:
      return extents(spec);
    case Task::kLanguage:
      return is_stream(spec) ? "tokens out of " + classes
                             : "sequences of " + extents(spec) + " tokens out of " + classes;
  }
  return {};
}

}  // namespace gpubench
