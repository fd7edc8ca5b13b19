#pragma once
// What a few steps of cases tell, before they are run: how long they will take, how much memory, and the
// largest batch that fits. No LibTorch.

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "engine/execution/executor.h"

namespace gpubench {

/// Tries each model in each mode on each device at two batch sizes, and takes time for a straight line in the
/// batch size.
class Estimator {
 public:
  explicit Estimator(CaseExecutor& executor) : executor_(executor) {}

  /// Tries what the cases need and what was not tried yet, for about a second each. Returns early where
  /// `control` aborts. What that cuts off is tried by the next call, unless it was the first of this one.
  void measure(const std::vector<Case>& cases, RowControl& control);

  bool is_tried(const Case& c) const { return points_.contains(make_key(c)); }

  /// What the whole process of the case is expected to take; `planned` is its row, which knows samples and
  /// epochs. Endless where its trial was cut off. Missing, with the reason, where the trial failed.
  Measured<Seconds> duration(const Case& c, const CaseRecord& planned) const;

 private:
  // Model, dataset, device, mode.
  using Key = std::tuple<std::string, std::string, std::string, Execution, Precision, Layout, Loader>;
  struct Point {
    std::int64_t batch_size;
    PilotResult result;
  };

  static Key make_key(const Case& c);
  std::vector<Point> measured_ends(const std::vector<Case>& alike, RowControl& control);

  CaseExecutor& executor_;
  std::map<Key, std::vector<Point>> points_;  // One or two each; none where a trial was cut off.
};

/// Samples of the training split that take as long as the case's evaluation: a forward pass is a third of a
/// step.
double evaluation_load(const CaseRecord& planned, std::int64_t epochs);

/// Epochs that an estimate reckons with: their number where it is fixed; else as many as are steady for
/// kLeastSteady, within the bounds of the rule.
std::int64_t expected_epochs(const StoppingRule& rule, Seconds epoch);

/// What a search came to.
struct MaxBatch {
  std::int64_t batch_size = 0;       ///< The largest that ran; 0 where not even the first one did.
  std::int64_t failed_size = 0;      ///< The smallest that did not; 0 where every sample fits into one batch.
  std::string failure;               ///< What became of that one.
  Measured<Bytes> peak;              ///< Memory at the largest: of the device, or of the process on a CPU.
  Measured<Bytes> bytes_per_sample;  ///< How much more memory one more sample takes.
};

/// Shown of every trial.
using TellTrial = std::function<void(std::int64_t batch_size, const PilotResult& result)>;

/// Doubles the batch size of `c` until a trial fails, then halves the gap until it is below 1 % of the size;
/// each trial is a few steps in a process of its own. `samples` of training data are there: no batch is
/// larger.
MaxBatch find_max_batch(const Case& c, std::int64_t samples, CaseExecutor& executor, RowControl& control,
                        const TellTrial& tell);

}  // namespace gpubench
