#pragma once
// Table of the parameters of a training.

#include "gpubench/record/parameter.h"
#include "gpubench/record/train_point.h"

namespace gpubench {

/// Immutable, safe to read from several threads.
const ParameterTable<TrainPoint>& train_parameters();

/// Trainings that the user asked for.
struct TrainGrid : Grid<TrainPoint> {
  TrainGrid() : Grid(train_parameters()) {}

  /// Returns whether it asks for the largest batch that fits (`--batch max`) instead of times.
  bool finds_max_batch() const;
};

/// Returns the point with its numbers of epochs, warm-up and target set. Throws a usage Error for numbers
/// that contradict each other.
TrainPoint with_length(TrainPoint point);

}  // namespace gpubench
