#pragma once
// Interface between models and datasets: task, shapes and sizes.

#include <cstdint>
#include <string>
#include <vector>

namespace gpubench {

/// Learning task of a dataset.
enum class Task {
  kClassification,  ///< Class of an image.
  kPairs,           ///< Equality of the classes of two images, the channels of a sample; target 1 if equal.
  kImages,          ///< The images themselves; targets are unused.
  kLanguage,        ///< Next token after each token of a sequence.
};

/// Shape of one sample and of its target, without the batch dimension.
struct DataSpec {
  Task task = Task::kClassification;
  std::vector<std::int64_t> sample_shape;  ///< Channels, height, width; length; empty for a stream.
  std::int64_t classes = 0;                ///< Number of classes or of different tokens.

  friend bool operator==(const DataSpec&, const DataSpec&) = default;
};

/// Number of samples of each split; 0 if the split is missing.
struct SplitSizes {
  std::int64_t train = 0;
  std::int64_t validation = 0;
  std::int64_t test = 0;
};

/// Returns true if a dataset of `given`, converted by arrange() if needed, fits a model of `wanted`.
bool can_feed(const DataSpec& given, const DataSpec& wanted);

/// Returns the sizes of the splits after conversion to `wanted`. The last token of a stream is only a target.
SplitSizes arranged_sizes(const SplitSizes& sizes, const DataSpec& given, const DataSpec& wanted);

/// Formats "1x28x28, 10 classes", "sequences of 35 tokens out of 33278".
std::string to_string(const DataSpec& spec);

}  // namespace gpubench
