#include "engine/profile/study.h"

#include <algorithm>

#include "engine/profile/kinds.h"
#include "engine/profile/layers.h"

namespace gpubench {

bool is_operation(const ProfileEvent& event) { return event.what == ProfileEvent::What::kOperation; }

bool is_step(const ProfileEvent& event) {
  return event.what == ProfileEvent::What::kScope && event.name == kStepScope;
}

std::string_view phase_of(const ProfileEvent& event) {
  std::string_view name = event.name;
  if (event.what != ProfileEvent::What::kScope || !name.starts_with(kScopePrefix)) return {};
  name.remove_prefix(kScopePrefix.size());
  const auto phase = std::find(kPhases.begin(), kPhases.end(), name);
  return phase == kPhases.end() ? std::string_view() : *phase;
}

bool is_phase(const ProfileEvent& event) { return !phase_of(event).empty(); }

std::string_view kind_in_phase(std::string_view phase, std::string_view kind) {
  if (phase == "input") return kInputKind;
  return phase == "optimizer" ? kOptimizerKind : kind;
}

ProfileStudy::ProfileStudy(const std::vector<ProfileEvent>& all)
    : events(all), nesting(all), kinds(operation_kinds(all, nesting)) {
  for (const std::size_t event : nesting.in_order()) {
    if (!is_step(events[event])) continue;
    if (steps.empty() || events[event].thread == thread()) steps.push_back(event);
  }
}

std::string_view ProfileStudy::phase_at(std::int64_t time_ns) const {
  const std::size_t inner = nesting.at(thread(), time_ns);
  if (nesting.nearest(inner, is_step) == Nesting::kNone) return {};
  const std::size_t scope = nesting.nearest(inner, is_phase);
  return scope == Nesting::kNone ? kOtherPhase : phase_of(events[scope]);
}

}  // namespace gpubench
