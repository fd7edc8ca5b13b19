#pragma once
// What a model and a dataset must agree on. They meet here and nowhere else.

#include <cstdint>
#include <string>
#include <vector>

namespace gpubench {

/// What is learnt from a dataset.
enum class Task { kClassification };

/// Shape of one sample and of its target, without the batch dimension.
struct DataSpec {
  Task task = Task::kClassification;
  std::vector<std::int64_t> sample_shape;  ///< Channels, height, width for images.
  std::int64_t classes = 0;                ///< Targets are class indices in [0, classes).

  friend bool operator==(const DataSpec&, const DataSpec&) = default;
};

/// Samples of each part of a dataset; 0 where the dataset has no such part.
struct SplitSizes {
  std::int64_t train = 0;
  std::int64_t validation = 0;
  std::int64_t test = 0;
};

/// "1x28x28, 10 classes".
std::string to_string(const DataSpec& spec);

}  // namespace gpubench
