#pragma once
// A model and a dataset that train in milliseconds, and a device that only counts.

#include "gpubench/dataset.h"
#include "gpubench/device.h"
#include "gpubench/engine/plan.h"
#include "gpubench/engine/progress.h"
#include "gpubench/model.h"

namespace gpubench::test {

/// Shape of the tiny samples: 1x2x2, 3 classes.
DataSpec tiny_spec();

/// One linear layer.
ModelEntry tiny_model();

/// Learnable samples, 50 of them for training and 20 for testing, none for validation.
Dataset tiny_dataset();

/// A case of the tiny model on the tiny data: batch 16, 3 epochs, the first dropped.
Case tiny_case();

/// The CPU under another name's record; counts how often it was waited for.
class CountingDevice : public Device {
 public:
  std::string name() const override { return "cpu"; }
  DeviceRecord record() const override { return {}; }
  void synchronize() override { ++synchronizations; }
  int synchronizations = 0;
};

/// Counts what it is told.
class CountingProgress : public Progress {
 public:
  void case_started(const CaseRecord&, std::size_t, std::size_t) override { ++started; }
  void step_finished() override { ++steps; }
  void case_finished(const CaseRecord&) override { ++finished; }
  int started = 0;
  int steps = 0;
  int finished = 0;
};

}  // namespace gpubench::test
