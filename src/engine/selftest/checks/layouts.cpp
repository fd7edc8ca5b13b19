#include <algorithm>

#include <fmt/format.h>

#include "engine/selftest/cases.h"
#include "engine/selftest/checks/entries.h"
#include "engine/selftest/trajectory.h"

namespace gpubench {
namespace {

/// Kernels of the other layout add in another order.
constexpr double kTolerance = 1e-3;

/// Networks with batch normalisation, whose steps by the usual recipe magnify rounding: ten steps that do
/// not.
CheckRow by_trajectory(const Subject& subject, const std::string& model) {
  const ModelEntry* entry = subject.models.find(model);
  const auto trajectory = trajectory_of(model);
  if (entry == nullptr || !trajectory) return unchecked(model, "this build has no such model");
  double difference = 0;
  for (const Json& run : trajectory->at("runs")) {
    const NamedLosses losses = train_trajectory(*entry, *trajectory, run, run.at("learning_rate"),
                                                c10::Device(subject.device.name()), 0, true);
    difference = std::max(difference, difference_from(run, losses));
  }
  return compared(model, difference, kTolerance,
                  fmt::format("losses are {:.1e} from those of Python at most", difference));
}

CheckRows run(Subject& subject) {
  CheckRows rows;
  const TrainingMode planes{.execution = Execution::kEager, .layout = Layout::kNchw};
  TrainingMode last = planes;
  last.layout = Layout::kChannelsLast;
  for (const char* model : {"cnn", "cnn1"})
    rows.push_back(compared_modes(subject, model, last, planes, kTolerance));
  for (const char* model : {"resnet50", "siamese"}) rows.push_back(by_trajectory(subject, model));
  return rows;
}

}  // namespace

CheckEntry check_layouts() { return {"layouts", "layouts of memory change no result", run}; }

}  // namespace gpubench
