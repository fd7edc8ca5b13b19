#pragma once
// Which scope or operation of a profile lies inside which.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/profile/event.h"

namespace gpubench {

/// The scopes and operations of a profile as trees, thread by thread. Looks at `events`, which must outlive
/// it; they are told by their positions in it.
class Nesting {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  explicit Nesting(const std::vector<ProfileEvent>& events);

  /// All of them, thread by thread, by their start; what surrounds comes before what is inside.
  const std::vector<std::size_t>& in_order() const { return order_; }

  /// The innermost one that surrounds `event`; kNone where there is none.
  std::size_t parent(std::size_t event) const { return parent_[event]; }

  /// Its duration within its parent's: clocks that are read one after the other may disagree by a little.
  std::int64_t duration_ns(std::size_t event) const { return end_[event] - events_[event].start_ns; }

  /// The innermost one on the thread at that time; kNone where there is none.
  std::size_t at(std::uint64_t thread, std::int64_t time_ns) const;

  /// The innermost one, `event` or around it, that fits; kNone where none does or `event` is kNone.
  template <class Predicate>
  std::size_t nearest(std::size_t event, Predicate fits) const {
    while (event != kNone && !fits(events_[event])) event = parent_[event];
    return event;
  }

 private:
  void sort();
  void nest(std::span<const std::size_t> of_thread);

  const std::vector<ProfileEvent>& events_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> parent_;
  std::vector<std::int64_t> end_;
  std::map<std::uint64_t, std::span<const std::size_t>> threads_;  // Parts of order_.
};

}  // namespace gpubench
