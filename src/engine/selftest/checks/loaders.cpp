#include "engine/selftest/cases.h"
#include "engine/selftest/checks/entries.h"

namespace gpubench {
namespace {

constexpr double kTolerance = 1e-3;

CheckRows run(Subject& subject) {
  CheckRows rows;
  const TrainingMode resident{.execution = Execution::kEager, .layout = Layout::kNchw};
  TrainingMode host = resident;
  host.loader = Loader::kHost;
  for (const char* model : {"cnn", "lstm"})
    rows.push_back(compared_modes(subject, model, host, resident, kTolerance));
  return rows;
}

}  // namespace

CheckEntry check_loaders() {
  return {"loaders", "samples that come from host memory are those that lie on the device", run};
}

}  // namespace gpubench
