#include "engine/profile/layers.h"

#include <map>
#include <utility>

#include "engine/profile/kinds.h"

namespace gpubench {
namespace {

using Kinds = std::vector<std::string_view>;  // One an event; empty where there is none.

/// The composite layers of the forward pass by thread and sequence of what their operations made.
using Makers = std::map<std::pair<std::uint64_t, std::int64_t>, std::string_view>;

bool is_operation(const ProfileEvent& event) { return event.what == ProfileEvent::What::kOperation; }

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

}  // namespace

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

}  // namespace gpubench
