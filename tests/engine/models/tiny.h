#pragma once
// A model and a dataset that train in milliseconds, and a device that only counts.

#include <optional>
#include <string>

#include "engine/api/case_monitor.h"
#include "engine/plan/plan.h"
#include "gpubench/dataset.h"
#include "gpubench/device.h"
#include "gpubench/model.h"
#include "gpubench/record/run_record.h"
#include "support/clock_marks.h"

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

/// The same with marks: what is queued on a CPU is done.
class MarkingDevice : public CountingDevice {
 public:
  std::unique_ptr<DeviceMarks> make_marks(const Clock& clock, std::size_t) override {
    return std::make_unique<ClockMarks>(clock);
  }
};

/// The CPU, recording work by keeping the function: a replay does it all again.
class RepeatingDevice : public MarkingDevice {
 public:
  std::string why_no_graph() const override { return {}; }

  std::unique_ptr<RecordedWork> record_graph(const std::function<void()>& warm_up,
                                             const std::function<void()>& work) override {
    warm_up();
    ++pools;
    return std::make_unique<Repeated>(work, *this);
  }

  std::unique_ptr<RecordedWork> record_beside(const RecordedWork& /*other*/,
                                              const std::function<void()>& work) override {
    return std::make_unique<Repeated>(work, *this);
  }

  virtual void repeat(const std::function<void()>& work) { work(); }

  void free_spare_memory() override { held_when_freed = held; }
  void reset_peak_memory() override { ++resets; }

  int pools = 0;       ///< Of memory, each for recordings beside each other.
  int recordings = 0;  ///< Ever made,
  int held = 0;        ///< and there now.
  int replays = 0;
  int resets = 0;
  int held_when_freed = -1;

 private:
  class Repeated : public RecordedWork {
   public:
    Repeated(std::function<void()> work, RepeatingDevice& device) : work_(std::move(work)), device_(device) {
      ++device_.recordings;
      ++device_.held;
    }
    ~Repeated() override { --device_.held; }
    void replay() override {
      device_.repeat(work_);
      ++device_.replays;
    }

   private:
    std::function<void()> work_;
    RepeatingDevice& device_;
  };
};

/// Each metric of one batch, summed over its `samples` samples: float32, shape {metrics}.
at::Tensor metric_sums(const Model& model, Results results, std::int64_t samples);

/// Whether there are so many NVIDIA GPUs; else says that the test is skipped, and why.
bool has_cuda(int devices = 1);

/// Three epochs, the first dropped, of a network of the catalog on `samples` made-up samples.
CaseRecord run_network(const std::string& model, const TrainingMode& mode, std::int64_t batch_size,
                       std::int64_t samples, Device& device, const std::optional<RankContext>& context = {});

/// Counts what it is told, and asks for a stop after so many epochs.
class CountingMonitor : public CaseMonitor {
 public:
  void steps_finished(std::int64_t count) override { steps += count; }
  void case_opened(const CaseRecord& opened) override { row = opened; }
  void epoch_finished(const EpochRecord& epoch) override { add_epoch(row, epoch), ++epochs; }
  StopRequest stop_request() override { return epochs >= stop_after ? request : StopRequest::kNone; }
  std::int64_t steps = 0;
  int epochs = 0;
  int stop_after = 0;
  StopRequest request = StopRequest::kNone;
  CaseRecord row;  ///< As far as it was told.
};

}  // namespace gpubench::test
