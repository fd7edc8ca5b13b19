#include "engine/selftest/cases.h"
#include "engine/selftest/checks/entries.h"

namespace gpubench {
namespace {

/// Kernels of the other layout add in another order.
constexpr double kTolerance = 1e-3;

CheckRows run(Subject& subject) {
  CheckRows rows;
  const TrainingMode planes{.execution = Execution::kEager, .layout = Layout::kNchw};
  TrainingMode last = planes;
  last.layout = Layout::kChannelsLast;
  for (const char* model : {"cnn", "cnn1"})
    rows.push_back(compared_modes(subject, model, last, planes, kTolerance));
  return rows;
}

}  // namespace

CheckEntry check_layouts() { return {"layouts", "layouts of memory change no result", run}; }

}  // namespace gpubench
