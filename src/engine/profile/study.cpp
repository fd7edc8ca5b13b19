#include "engine/profile/study.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/profile/kinds.h"

namespace gpubench {
namespace {

using Kinds = std::vector<std::string_view>;  // One an event; empty where there is none.

/// The composite layers of the forward pass by thread and sequence of what their operations made.
using Makers = std::map<std::pair<std::uint64_t, std::int64_t>, std::string_view>;

std::string_view at(const Kinds& kinds, std::size_t event) {
  return event == Nesting::kNone ? std::string_view() : kinds[event];
}

/// By names, and handed down from the outside.
void fill_by_name(const std::vector<ProfileEvent>& events, const Nesting& nesting, Kinds& kinds,
                  Kinds& composites) {
  for (const std::size_t event : nesting.in_order()) {
    const std::size_t parent = nesting.parent(event);
    const std::string_view own =
        is_operation(events[event]) ? layer_kind(events[event].name) : std::string_view();
    kinds[event] = own.empty() ? at(kinds, parent) : own;
    composites[event] = at(composites, parent);
    if (composites[event].empty() && is_composite(own)) composites[event] = own;
  }
}

Makers makers_of(const std::vector<ProfileEvent>& events, const Nesting& nesting, const Kinds& composites) {
  Makers makers;
  // In the order of their starts, so that the last one to start stays.
  for (const std::size_t event : nesting.in_order()) {
    const ProfileEvent& e = events[event];
    if (is_operation(e) && !e.is_backward_node() && e.sequence >= 0) {
      makers[{e.thread, e.sequence}] = composites[event];
    }
  }
  return makers;
}

void hand_to_backward(const std::vector<ProfileEvent>& events, const Nesting& nesting, const Makers& makers,
                      Kinds& composites) {
  for (const std::size_t event : nesting.in_order()) {
    const ProfileEvent& e = events[event];
    if (composites[event].empty()) composites[event] = at(composites, nesting.parent(event));
    if (!composites[event].empty() || !e.is_backward_node()) continue;
    const auto maker = makers.find({e.forward_thread, e.sequence});
    if (maker != makers.end()) composites[event] = maker->second;
  }
}

/// For each event its kind, one of layer_kinds(); means nothing for those that are no operations. What has no
/// kind by its name has that of what it lies in. Inside of composite layers everything is theirs, as is the
/// backward pass of it.
std::vector<std::string_view> operation_kinds(const std::vector<ProfileEvent>& events,
                                              const Nesting& nesting) {
  Kinds kinds(events.size());
  Kinds composites(events.size());
  fill_by_name(events, nesting, kinds, composites);
  hand_to_backward(events, nesting, makers_of(events, nesting, composites), composites);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!composites[i].empty()) kinds[i] = composites[i];
    if (kinds[i].empty()) kinds[i] = kOtherKind;
  }
  return kinds;
}

}  // namespace

Nesting::Nesting(const std::vector<ProfileEvent>& events)
    : events_(events), parent_(events.size(), kNone), end_(events.size(), 0) {
  sort();
  for (auto first = order_.begin(); first != order_.end();) {
    const std::uint64_t thread = events_[*first].thread;
    const auto last =
        std::find_if(first, order_.end(), [&](std::size_t event) { return events_[event].thread != thread; });
    threads_[thread] = {first, last};
    nest(threads_[thread]);
    first = last;
  }
}

void Nesting::sort() {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const ProfileEvent::What what = events_[i].what;
    if (what == ProfileEvent::What::kScope || what == ProfileEvent::What::kOperation) order_.push_back(i);
  }
  // Of two that start together the longer one is outside.
  std::stable_sort(order_.begin(), order_.end(), [this](std::size_t left, std::size_t right) {
    const ProfileEvent& a = events_[left];
    const ProfileEvent& b = events_[right];
    return std::tie(a.thread, a.start_ns, b.duration_ns) < std::tie(b.thread, b.start_ns, a.duration_ns);
  });
}

void Nesting::nest(std::span<const std::size_t> of_thread) {
  std::size_t around = kNone;
  for (const std::size_t event : of_thread) {
    while (around != kNone && end_[around] <= events_[event].start_ns) around = parent_[around];
    parent_[event] = around;
    end_[event] = around == kNone ? events_[event].end_ns() : std::min(events_[event].end_ns(), end_[around]);
    around = event;
  }
}

std::size_t Nesting::at(std::uint64_t thread, std::int64_t time_ns) const {
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return kNone;
  const std::span<const std::size_t> events = found->second;
  const auto later = std::upper_bound(
      events.begin(), events.end(), time_ns,
      [this](std::int64_t time, std::size_t event) { return time < events_[event].start_ns; });
  std::size_t event = later == events.begin() ? kNone : *std::prev(later);
  while (event != kNone && end_[event] <= time_ns) event = parent_[event];
  return event;
}

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
