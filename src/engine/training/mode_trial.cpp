#include "engine/training/mode_trial.h"

#include "engine/training/execution_trial.h"
#include "engine/training/layout_trial.h"

namespace gpubench {
namespace {

Case in_layout(Case c, Layout layout) {
  c.mode.layout = layout;
  return c;
}

/// `remark` is added to what is said of a layout that was tried.
TriedModes settle(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                  Timeline& timeline, const char* remark) {
  auto layout = known_layout(c, device);
  if (!layout) {
    timeline.time("layout trial", [&] { layout = try_layouts(c, dataset, device, clock); });
    layout->note += remark;
    device.reset_peak_memory();
  }
  const Case settled = in_layout(c, layout->used);
  auto execution = known_execution(settled, device);
  if (!execution) {
    timeline.time("execution trial", [&] { execution = try_execution(settled, dataset, device, clock); });
    device.reset_peak_memory();
  }
  return {*layout, *execution};
}

}  // namespace

std::optional<TriedModes> known_modes(const Case& c, const Device& device) {
  const auto layout = known_layout(c, device);
  if (!layout) return std::nullopt;
  const auto execution = known_execution(in_layout(c, layout->used), device);
  return execution ? std::optional(TriedModes{*layout, *execution}) : std::nullopt;
}

TriedModes try_modes(const Case& c, const Dataset& dataset, Device& device, const Clock& clock) {
  std::vector<Phase> phases;
  Timeline timeline(device, clock, phases);
  return settle(c, dataset, device, clock, timeline, "");
}

Case with_modes(Case c, const Dataset& dataset, Device& device, const Clock& clock, Timeline& timeline) {
  if (c.tried) return c;
  c.tried =
      settle(c, dataset, device, clock, timeline, "; tried in this process, which was the warmer for it");
  return c;
}

}  // namespace gpubench
