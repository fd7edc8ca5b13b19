#pragma once
// A model and a dataset that train in milliseconds, and fake devices.

#include <optional>
#include <string>

#include "engine/api/case_monitor.h"
#include "engine/plan/plan.h"
#include "gpubench/dataset.h"
#include "gpubench/device.h"
#include "gpubench/model.h"
#include "gpubench/record/run_record.h"

namespace gpubench::test {

/// Returns the shape of the tiny samples: 1x2x2, 3 classes.
DataSpec tiny_spec();

/// Model with one linear layer.
ModelEntry tiny_model();

/// Returns learnable samples: 50 for training, 20 for testing, none for validation.
Dataset tiny_dataset();

/// Returns a case of the tiny model on the tiny data: batch size 16, 3 epochs, the first as warm-up.
Case tiny_case();

/// CPU with an empty record that counts synchronizations.
class CountingDevice : public Device {
 public:
  std::string name() const override { return "cpu"; }
  DeviceRecord record() const override { return {}; }
  void synchronize() override { ++synchronizations; }
  int synchronizations = 0;
};

/// CountingDevice with marks. Queued work on a CPU is finished work.
class MarkingDevice : public CountingDevice {
 public:
  std::unique_ptr<DeviceMarks> make_marks(const Clock& clock, std::size_t count) override {
    return std::make_unique<ClockMarks>(clock, count);
  }
};

/// CPU that records work by keeping the function; a replay calls it again.
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

  int pools = 0;       ///< Memory pools; recordings made with record_beside() share one.
  int recordings = 0;  ///< Number of all recordings.
  int held = 0;        ///< Number of existing recordings.
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

/// Returns the metrics of one batch, summed over its `samples` samples: fp32, shape {metrics}.
at::Tensor metric_sums(const Model& model, Results results, std::int64_t samples);

/// Returns whether there are `devices` NVIDIA GPUs; otherwise prints the reason for skipping the test.
bool has_cuda(int devices = 1);

/// Trains a network of the catalog for three epochs, the first as warm-up, on `samples` synthetic samples.
CaseRecord run_network(const std::string& model, const TrainingMode& mode, std::int64_t batch_size,
                       std::int64_t samples, Device& device, const std::optional<RankContext>& context = {});

/// Monitor that counts events and requests a stop after `stop_after` epochs.
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
  CaseRecord row;  ///< Sum of all events.
};

}  // namespace gpubench::test
