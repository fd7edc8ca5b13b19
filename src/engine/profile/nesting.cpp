#include "engine/profile/nesting.h"

#include <algorithm>
#include <tuple>

namespace gpubench {

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

}  // namespace gpubench
