#pragma once
// What a profiler saw of training steps, without the profiler's own types, with its steps found and its
// operations sorted by kind: what all sums over it need.

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpubench {

/// A stretch of time on a thread of the host, or on the device.
struct ProfileEvent {
  enum class What {
    kScope,       ///< A part of a step, as the trainer marked it.
    kOperation,   ///< Of LibTorch: "aten::addmm"; or a node of autograd: "AddmmBackward0".
    kLaunch,      ///< The host's call that queued work on the device.
    kDeviceWork,  ///< A kernel, a copy or a fill on the device.
  };

  What what = What::kOperation;
  std::string name;
  std::uint64_t thread = 0;  ///< Of the host; means nothing for work of the device.
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;

  std::uint64_t id = 0;            ///< Of an operation; unique among operations, 0 where unknown.
  std::uint64_t operation_id = 0;  ///< Of work: the `id` of the operation that queued it, 0 where unknown.
  std::uint64_t launch_id = 0;     ///< The same for a launch and the work that it queued; 0 for others.

  // An operation of the forward pass shares its sequence with the node of the backward pass that it made, and
  // is the last one of its thread to start that does.
  std::int64_t sequence = -1;        ///< Negative where there is none.
  std::uint64_t forward_thread = 0;  ///< Of a node and of what runs it: its operation's thread; else 0.

  bool is_backward_node() const { return forward_thread != 0; }
  std::int64_t end_ns() const { return start_ns + duration_ns; }
};

/// Around each step.
inline constexpr std::string_view kStepScope = "gpubench.step";

/// What the name of a scope starts with whose rest is the name of a phase, e.g. "forward".
inline constexpr std::string_view kScopePrefix = "gpubench.";

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

/// The phases of a step in the order in which results list them; what is in none of them is kOtherPhase.
inline constexpr std::array<std::string_view, 4> kPhases{"input", "forward", "backward", "optimizer"};
inline constexpr std::string_view kOtherPhase = "other";

bool is_operation(const ProfileEvent& event);
bool is_step(const ProfileEvent& event);

/// The phase that the event marks; empty where it marks none.
std::string_view phase_of(const ProfileEvent& event);
bool is_phase(const ProfileEvent& event);

/// The kind of an operation that is `kind` by itself: what is done for input and optimiser is theirs.
std::string_view kind_in_phase(std::string_view phase, std::string_view kind);

/// Looks at `events`, which must outlive it; they are told by their positions in it.
struct ProfileStudy {
  explicit ProfileStudy(const std::vector<ProfileEvent>& all);

  /// The phase in which a step was at that time; empty outside of steps. There must be steps.
  std::string_view phase_at(std::int64_t time_ns) const;

  /// The thread of the steps. Parts that another thread marks would overlap with theirs. There must be steps.
  std::uint64_t thread() const { return events[steps.front()].thread; }

  const std::vector<ProfileEvent>& events;
  Nesting nesting;
  std::vector<std::string_view> kinds;  ///< As operation_kinds.
  std::vector<std::size_t> steps;       ///< By their start, those of one thread.
};

}  // namespace gpubench
