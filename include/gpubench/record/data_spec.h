#pragma once
// What a model and a dataset must agree on. They meet here and nowhere else.

#include <cstdint>
#include <string>
#include <vector>

namespace gpubench {

/// What is learnt from a dataset.
enum class Task {
  kClassification,  ///< The class of an image.
  kPairs,           ///< Whether two images, the channels of one sample, are of one class: target 1, else 0.
  kImages,          ///< The images themselves; targets mean nothing.
  kLanguage,        ///< The token that follows each token of a sequence.
};

/// Shape of one sample and of its target, without the batch dimension.
struct DataSpec {
  Task task = Task::kClassification;
  std::vector<std::int64_t> sample_shape;  ///< Channels, height, width; a length; empty for a stream.
  std::int64_t classes = 0;                ///< Targets are class indices, or tokens, in [0, classes).

  friend bool operator==(const DataSpec&, const DataSpec&) = default;
};

/// Samples of each part of a dataset; 0 where the dataset has no such part.
struct SplitSizes {
  std::int64_t train = 0;
  std::int64_t validation = 0;
  std::int64_t test = 0;
};

/// Returns whether a dataset of `given`, as it is or arranged, is what a model of `wanted` takes.
bool can_feed(const DataSpec& given, const DataSpec& wanted);

/// Sizes of the splits when arranged for `wanted`. The last token of a stream is only a target.
SplitSizes arranged_sizes(const SplitSizes& sizes, const DataSpec& given, const DataSpec& wanted);

/// "1x28x28, 10 classes", "sequences of 35 tokens out of 33278".
std::string to_string(const DataSpec& spec);

}  // namespace gpubench
