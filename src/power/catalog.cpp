#include <sstream>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/power_meter.h"
#include "gpubench/record/environment.h"
#include "gpubench/record/gpu_match.h"

namespace gpubench {
namespace {

/// An item of `--meter`, such as "replay:FILE".
struct ChosenMeter {
  const MeterEntry& meter;
  std::string argument;
};

std::vector<ChosenMeter> choose_meters(const std::string& names) {
  std::vector<ChosenMeter> all;
  for (const MeterEntry& entry : power_meters()) {
    if (names == "auto" && entry.is_automatic) all.push_back({entry, ""});
  }
  if (names == "auto") return all;
  std::istringstream list(names);
  for (std::string item; std::getline(list, item, ',');) {
    const auto colon = item.find(':');
    const std::string argument = colon == std::string::npos ? "" : item.substr(colon + 1);
    all.push_back({power_meters().require(item.substr(0, colon), "--meter"), argument});
  }
  require(!all.empty(), "--meter: no meter named; use auto, none, or names from 'gpubench list meters'");
  return all;
}

constexpr const char* kAnother = "the run does not use this GPU";

}  // namespace

void check_meters(const std::string& names) { choose_meters(names); }

void assign_gpus(PowerSources& sources, const Environment& run, std::string& why_not) {
  std::vector<PowerSource*> unassigned;
  for (PowerSource& source : sources) {
    if (source.facts.device.empty() && source.facts.gpu != GpuIdentity()) unassigned.push_back(&source);
  }
  const auto matches = match_gpus(mapped(unassigned, [](const PowerSource* s) { return s->facts.gpu; }), run);
  for (std::size_t i = 0; i < matches.size(); ++i) {
    PowerSourceFacts& facts = unassigned[i]->facts;
    facts.device = matches[i].device;
    facts.why_no_device = matches[i].is_foreign() ? kAnother : matches[i].why_unknown;
  }
  const auto is_left_out = [](const PowerSource& source) {
    return source.facts.why_no_device == kAnother && !source.facts.is_replayed;
  };
  if (std::erase_if(sources, is_left_out) == 0 || !sources.empty()) return;
  const bool is_set = run.visible_devices.has_value() && run.visible_devices.value() != "none";
  why_not = "the run uses none of this meter's GPUs" +
            (is_set ? " (" + run.visible_devices.value() + ")" : "") + "; choose one with --device";
}

OpenMeters open_meters(const std::string& names, const Clock& clock, const Environment& run) {
  OpenMeters opened;
  std::vector<std::string> reasons;
  for (const auto& [meter, argument] : choose_meters(names)) {
    std::string why_not;
    PowerSources sources = meter.open({argument, clock}, why_not);
    assign_gpus(sources, run, why_not);
    append(opened.sources, std::move(sources));
    if (!why_not.empty()) reasons.push_back(meter.name + ": " + why_not);
  }
  if (!opened.sources.empty()) return opened;
  opened.why_none = names == "none" ? "disabled by --meter none"
                                    : "no power meter can be read (" + join(reasons, "; ") + ")";
  return opened;
}

}  // namespace gpubench
