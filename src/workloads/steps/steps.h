#pragma once
// Steps of a workload on one model, without timing. Implementations: src/workloads, one folder each; their
// catalog is src/record/workloads.def.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/group/rank_group.h"
#include "gpubench/model.h"
#include "gpubench/record/points.h"
#include "workloads/input/batch_source.h"

namespace gpubench {

/// Called with the number of steps queued since the last call.
using OnSteps = std::function<void(std::int64_t count)>;

/// Steps of one model, which must be on the device in the type of the precision and must outlive this. Only
/// functions that say so wait for the device.
class Steps {
 public:
  Steps(Model& model, const TrainPoint& asked, c10::Device device)
      : model_(model), asked_(asked), device_(device) {}
  virtual ~Steps() = default;
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  std::int64_t batch_size() const { return asked_.batch_size; }

  /// Queues one pass over `source`, including the short last batch.
  virtual void queue_epoch(BatchSource& source, const OnSteps& on_steps);
  /// Queues a step on this rank's share of the next `count` samples of the current epoch of `source`.
  void queue_next(BatchSource& source, std::int64_t count);

  virtual void begin_epoch(std::int64_t samples) = 0;
  /// Queues a step; `batch` is this rank's share of `samples` samples.
  virtual void run_step(const Batch& batch, std::int64_t samples) = 0;
  void run_step(const Batch& batch) { run_step(batch, batch.inputs.size(0)); }
  /// Queues the rest of the scoring, after the last step of an epoch or of a recording.
  virtual void score_steps() {}
  /// Ends an epoch after all its steps. Must not be recorded.
  virtual void end_epoch() {}

  /// Frees the memory of the last step.
  virtual void discard_step() = 0;
  /// Returns all tensors that a step changes, and the parameters.
  virtual std::vector<at::Tensor> state() const = 0;
  /// Switches dropout off, to compare modes.
  virtual void switch_dropout_off() {}

  /// Returns the names of the epoch's metrics; empty if it has none.
  virtual std::vector<std::string> metrics() const { return {}; }
  /// Returns figures of the last queued epoch that are equal in all modes: its metrics, if any. Waits.
  virtual std::vector<double> epoch_figures() = 0;
  /// Returns the metrics of the first step, with the initial parameters; empty if it has none. Waits.
  virtual std::vector<double> first_step_metrics() { return {}; }
  /// Returns the metrics over `split`, each rank on its share of every batch; empty if it has none. Waits.
  virtual std::vector<double> evaluate(const ResidentSplit& /*split*/) { return {}; }

  /// Returns the number of updates of the first parameter group. Waits.
  virtual std::int64_t trained_steps() const { return 0; }
  virtual std::string optimizer_description() const { return "none"; }
  /// Returns the learning rate of the model's first parameter group; 0 without training.
  virtual double learning_rate() const { return 0; }
  /// Returns the fault that makes the figures invalid; empty if they are valid. `has_changed`: the parameters
  /// differ from the initial ones. Waits.
  virtual std::string find_fault(const NamedSeries& training, bool has_changed) = 0;

 protected:
  Model& model_;
  TrainPoint asked_;
  c10::Device device_;
};

/// Makes the steps of the workload of `asked.protocol`. `exchange`, which may be null, must outlive them.
std::unique_ptr<Steps> make_steps(Model& model, const TrainPoint& asked, c10::Device device,
                                  GradientExchange* exchange = nullptr);

}  // namespace gpubench
