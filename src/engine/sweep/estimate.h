#pragma once
// How long cases will take and how much memory, from a few steps of some of them. No LibTorch.

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "engine/execution/executor.h"
#include "engine/execution/progress.h"

namespace gpubench {

/// What a case is expected to take. Absent, with the reason, where a pilot failed.
struct CaseEstimate {
  Reading<std::int64_t> epochs;  ///< Their number where it is fixed; else what the target takes at least.
  Reading<Seconds> duration;     ///< Its whole process.
  Reading<Bytes> host_memory;
  Reading<Bytes> device_memory;
};

/// Tries each model in each mode on each device at two batch sizes, and takes time and memory for straight
/// lines in the batch size.
class Estimator {
 public:
  /// Told before each pilot.
  using Announce = std::function<void(const Case& c, std::size_t index, std::size_t count)>;

  explicit Estimator(CaseExecutor& executor) : executor_(executor) {}

  /// Tries what the cases need, for about a second each. Returns early where the user interrupts.
  void measure(const std::vector<Case>& cases, Interrupts& interrupts, const Announce& announce);

  /// `planned` is the row of the case: it knows samples and epochs.
  CaseEstimate estimate(const Case& c, const CaseRecord& planned) const;

 private:
  // Model, dataset, device, mode.
  using Key = std::tuple<std::string, std::string, std::string, Execution, Precision, Layout, Loader>;
  struct Point {
    std::int64_t batch_size;
    PilotResult result;
  };

  using MemoryFigure = const Reading<Bytes>& (*)(const PilotResult& result);

  static Key key_of(const Case& c);
  static Seconds step_of(const Point& small, const Point& large, std::int64_t batch_size);
  static Reading<Bytes> memory_at(const Point& small, const Point& large, std::int64_t batch_size,
                                  MemoryFigure figure);
  void measure_ends(const std::vector<Case>& alike, Interrupts& interrupts);

  CaseExecutor& executor_;
  std::map<Key, std::vector<Point>> points_;
};

/// Epochs that an estimate reckons with: their number where it is fixed; else as many as are steady for
/// kLeastSteady, within the bounds of the rule.
std::int64_t expected_epochs(const StoppingRule& rule, Seconds epoch);

}  // namespace gpubench
