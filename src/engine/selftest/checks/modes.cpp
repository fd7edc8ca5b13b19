#include "engine/selftest/check.h"

namespace gpubench::modes_plugin {
namespace {

constexpr TrainingMode kUsual{.execution = Execution::kEager, .layout = Layout::kNchw};

CheckRows run(Subject& subject) {
  CheckRows rows;
  TrainingMode channels_last = kUsual;
  channels_last.layout = Layout::kChannelsLast;
  TrainingMode host = kUsual;
  host.loader = Loader::kHost;
  for (const char* model : {"cnn", "cnn1"})
    rows.push_back(compared_modes(subject, model, channels_last, kUsual, "channels-last"));
  for (const char* model : {"cnn", "lstm"})
    rows.push_back(compared_modes(subject, model, host, kUsual, "host loader"));
  return rows;
}

}  // namespace

CheckEntry entry_modes() {
  return {"modes", "memory layouts and loaders do not change what a model learns", run};
}

}  // namespace gpubench::modes_plugin
