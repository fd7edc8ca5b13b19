#include "engine/selftest/cases.h"
#include "engine/selftest/checks/entries.h"

namespace gpubench {
namespace {

/// Samples are drawn in another order, whose sums are rounded otherwise.
constexpr double kTolerance = 1e-3;

CheckRows run(Subject& subject) {
  const std::string why_not = subject.device.why_no_graph();
  if (!why_not.empty()) return {unchecked("", why_not)};
  CheckRows rows;
  const TrainingMode eager{.execution = Execution::kEager, .layout = Layout::kNchw};
  TrainingMode graph = eager;
  graph.execution = Execution::kGraph;
  for (const char* model : {"cnn", "lstm", "resnet50"})
    rows.push_back(compared_modes(subject, model, graph, eager, kTolerance));
  return rows;
}

}  // namespace

CheckEntry check_execution() { return {"execution", "recorded epochs learn what eager ones learn", run}; }

}  // namespace gpubench
