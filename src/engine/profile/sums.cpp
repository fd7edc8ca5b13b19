#include "engine/profile/sums.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/profile/kinds.h"

namespace gpubench {
namespace {

/// The scopes and operations of a profile as trees, thread by thread. Looks at `events`, which must outlive
/// it; they are told by their positions in it.
class Nesting {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  explicit Nesting(const std::vector<ProfileEvent>& events)
      : events_(events), parent_(events.size(), kNone), end_(events.size(), 0) {
    sort();
    for (auto first = order_.begin(); first != order_.end();) {
      const std::uint64_t thread = events_[*first].thread;
      const auto last = std::find_if(first, order_.end(),
                                     [&](std::size_t event) { return events_[event].thread != thread; });
      threads_[thread] = {first, last};
      nest(threads_[thread]);
      first = last;
    }
  }

  /// All of them, thread by thread, by their start; what surrounds comes before what is inside.
  const std::vector<std::size_t>& in_order() const { return order_; }

  /// The innermost one that surrounds `event`; kNone where there is none.
  std::size_t parent(std::size_t event) const { return parent_[event]; }

  /// Its duration within its parent's: clocks that are read one after the other may disagree by a little.
  std::int64_t duration_ns(std::size_t event) const { return end_[event] - events_[event].start_ns; }

  /// The innermost one on the thread at that time; kNone where there is none.
  std::size_t at(std::uint64_t thread, std::int64_t time_ns) const {
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

  /// The innermost one, `event` or around it, that fits; kNone where none does or `event` is kNone.
  template <class Predicate>
  std::size_t nearest(std::size_t event, Predicate fits) const {
    while (event != kNone && !fits(events_[event])) event = parent_[event];
    return event;
  }

 private:
  void sort() {
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

  void nest(std::span<const std::size_t> of_thread) {
    std::size_t around = kNone;
    for (const std::size_t event : of_thread) {
      while (around != kNone && end_[around] <= events_[event].start_ns) around = parent_[around];
      parent_[event] = around;
      end_[event] =
          around == kNone ? events_[event].end_ns() : std::min(events_[event].end_ns(), end_[around]);
      around = event;
    }
  }

  const std::vector<ProfileEvent>& events_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> parent_;
  std::vector<std::int64_t> end_;
  std::map<std::uint64_t, std::span<const std::size_t>> threads_;  // Parts of order_.
};

/// The phases of a step in the order in which results list them; what is in none of them is kOtherPhase.
constexpr std::array<std::string_view, 4> kPhases{"input", "forward", "backward", "optimizer"};
constexpr std::string_view kOtherPhase = "other";

bool is_operation(const ProfileEvent& event) { return event.what == ProfileEvent::What::kOperation; }

bool is_step(const ProfileEvent& event) {
  return event.what == ProfileEvent::What::kScope && event.name == kStepScope;
}

/// The phase that the event marks; empty where it marks none.
std::string_view phase_of(const ProfileEvent& event) {
  std::string_view name = event.name;
  if (event.what != ProfileEvent::What::kScope || !name.starts_with(kScopePrefix)) return {};
  name.remove_prefix(kScopePrefix.size());
  const auto phase = std::find(kPhases.begin(), kPhases.end(), name);
  return phase == kPhases.end() ? std::string_view() : *phase;
}

bool is_phase(const ProfileEvent& event) { return !phase_of(event).empty(); }

/// The kind of an operation that is `kind` by itself: what is done for input and optimiser is theirs.
std::string_view kind_in_phase(std::string_view phase, std::string_view kind) {
  if (phase == "input") return kInputKind;
  return phase == "optimizer" ? kOptimizerKind : kind;
}

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

/// Looks at `events`, which must outlive it; they are told by their positions in it.
struct ProfileStudy {
  explicit ProfileStudy(const std::vector<ProfileEvent>& all)
      : events(all), nesting(all), kinds(operation_kinds(all, nesting)) {
    for (const std::size_t event : nesting.in_order()) {
      if (!is_step(events[event])) continue;
      if (steps.empty() || events[event].thread == thread()) steps.push_back(event);
    }
  }

  /// The phase in which a step was at that time; empty outside of steps. There must be steps.
  std::string_view phase_at(std::int64_t time_ns) const {
    const std::size_t inner = nesting.at(thread(), time_ns);
    if (nesting.nearest(inner, is_step) == Nesting::kNone) return {};
    const std::size_t scope = nesting.nearest(inner, is_phase);
    return scope == Nesting::kNone ? kOtherPhase : phase_of(events[scope]);
  }

  /// The thread of the steps. Parts that another thread marks would overlap with theirs. There must be steps.
  std::uint64_t thread() const { return events[steps.front()].thread; }

  const std::vector<ProfileEvent>& events;
  Nesting nesting;
  std::vector<std::string_view> kinds;  ///< As operation_kinds.
  std::vector<std::size_t> steps;       ///< By their start, those of one thread.
};

/// A kernel, copy or fill.
struct DeviceWork {
  std::int64_t start_ns;
  std::int64_t end_ns;     ///< At least `start_ns`.
  std::string_view phase;  ///< In which it was launched, or kOtherPhase.
  std::string_view kind;   ///< Of the operation that launched it, as of kind_in_phase.
};

// Time of work that overlaps, divided so that no moment counts twice.

struct Edge {
  std::int64_t time_ns;
  std::size_t work;
};

std::vector<Edge> edges_of(const std::vector<DeviceWork>& all) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].end_ns <= all[i].start_ns) continue;
    edges.push_back({all[i].start_ns, i});
    edges.push_back({all[i].end_ns, i});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.time_ns < b.time_ns; });
  return edges;
}

/// How much of the time belongs to each: moments that several share are divided equally among them.
std::vector<double> shares_ns(const std::vector<DeviceWork>& all) {
  std::vector<double> shares(all.size(), 0);
  std::set<std::size_t> running;
  std::int64_t before = 0;
  for (const Edge& edge : edges_of(all)) {
    for (const std::size_t i : running) {
      shares[i] += static_cast<double>(edge.time_ns - before) / static_cast<double>(running.size());
    }
    before = edge.time_ns;
    // The first of its two edges is the start.
    if (running.erase(edge.work) == 0) running.insert(edge.work);
  }
  return shares;
}

/// Finds what the work of a device belongs to.
class Launches {
 public:
  explicit Launches(const ProfileStudy& study) : study_(study) {
    for (std::size_t i = 0; i < study_.events.size(); ++i) {
      const ProfileEvent& event = study_.events[i];
      if (event.what == ProfileEvent::What::kLaunch) launches_[event.launch_id] = i;
      if (is_operation(event)) operations_[event.id] = i;
    }
  }

  DeviceWork work_of(const ProfileEvent& work) const {
    const std::size_t launch = find(launches_, work.launch_id);
    std::size_t operation = find(operations_, work.operation_id);
    if (operation == Nesting::kNone && launch != Nesting::kNone) operation = around(study_.events[launch]);
    const std::string_view phase = phase_of_work(work, launch == Nesting::kNone ? operation : launch);
    const std::string_view kind = operation == Nesting::kNone ? kind_by_name(work) : study_.kinds[operation];
    return {work.start_ns, work.end_ns(), phase, kind_in_phase(phase, kind)};
  }

 private:
  using Positions = std::unordered_map<std::uint64_t, std::size_t>;

  static std::size_t find(const Positions& positions, std::uint64_t id) {
    const auto found = positions.find(id);
    return id == 0 || found == positions.end() ? Nesting::kNone : found->second;
  }

  std::size_t around(const ProfileEvent& launch) const {
    return study_.nesting.nearest(study_.nesting.at(launch.thread, launch.start_ns), is_operation);
  }

  std::string_view phase_of_work(const ProfileEvent& work, std::size_t origin) const {
    if (origin != Nesting::kNone) return study_.phase_at(study_.events[origin].start_ns);
    const std::int64_t begin_ns = study_.events[study_.steps.front()].start_ns;
    return work.start_ns < begin_ns ? std::string_view() : kOtherPhase;
  }

  // "Memcpy HtoD (Pinned -> Device)": only the first word is a name.
  static std::string_view kind_by_name(const ProfileEvent& work) {
    const std::string_view kind = layer_kind(work.name.substr(0, work.name.find(' ')));
    return kind.empty() ? kOtherKind : kind;
  }

  const ProfileStudy& study_;
  Positions launches_;
  Positions operations_;
};

/// All work that was launched in the steps, or that shows no launch and was done after they began. Its phase
/// is that of the launch, whatever the thread and whenever the device came to it.
std::vector<DeviceWork> work_of_steps(const ProfileStudy& study) {
  const Launches launches(study);
  std::vector<DeviceWork> all;
  for (const ProfileEvent& event : study.events) {
    if (event.what != ProfileEvent::What::kDeviceWork) continue;
    const DeviceWork work = launches.work_of(event);
    if (!work.phase.empty()) all.push_back(work);
  }
  return all;
}

using Sums = std::map<std::string_view, double>;  // In nanoseconds, over all steps.

/// Sums with a zero for each phase that the steps mark.
Sums marked_phases(const ProfileStudy& study) {
  Sums phases;
  for (const ProfileEvent& event : study.events) {
    if (is_phase(event)) phases[phase_of(event)] = 0;
  }
  return phases;
}

double host_ns(const ProfileStudy& study) {
  double sum = 0;
  for (const std::size_t step : study.steps) sum += static_cast<double>(study.nesting.duration_ns(step));
  return sum;
}

// A phase inside of another is no part of it.
Sums host_phases(const ProfileStudy& study) {
  Sums phases = marked_phases(study);
  for (const std::size_t event : study.nesting.in_order()) {
    const std::size_t parent = study.nesting.parent(event);
    const bool is_in_step = study.nesting.nearest(parent, is_step) != Nesting::kNone;
    if (!is_phase(study.events[event]) || !is_in_step) continue;
    if (study.events[event].thread != study.thread()) continue;
    const auto duration = static_cast<double>(study.nesting.duration_ns(event));
    phases[phase_of(study.events[event])] += duration;
    const std::size_t outer = study.nesting.nearest(parent, is_phase);
    if (outer != Nesting::kNone) phases[phase_of(study.events[outer])] -= duration;
  }
  return phases;
}

/// Durations of operations without the operations inside of them; 0 for what is none.
std::vector<std::int64_t> self_ns(const ProfileStudy& study) {
  std::vector<std::int64_t> self(study.events.size(), 0);
  for (const std::size_t event : study.nesting.in_order()) {
    if (!is_operation(study.events[event])) continue;
    self[event] += study.nesting.duration_ns(event);
    const std::size_t outer = study.nesting.nearest(study.nesting.parent(event), is_operation);
    if (outer != Nesting::kNone) self[outer] -= study.nesting.duration_ns(event);
  }
  return self;
}

Sums host_layers(const ProfileStudy& study) {
  Sums layers;
  const std::vector<std::int64_t> self = self_ns(study);
  for (std::size_t i = 0; i < study.events.size(); ++i) {
    if (!is_operation(study.events[i])) continue;
    const std::string_view phase = study.phase_at(study.events[i].start_ns);
    if (!phase.empty()) layers[kind_in_phase(phase, study.kinds[i])] += static_cast<double>(self[i]);
  }
  return layers;
}

// The host may be done with a step long before the device is.
double device_ns(const ProfileStudy& study, const std::vector<DeviceWork>& all) {
  std::int64_t end = study.events[study.steps.back()].end_ns();
  for (const DeviceWork& work : all) end = std::max(end, work.end_ns);
  return static_cast<double>(end - study.events[study.steps.front()].start_ns);
}

void add_seconds_of_a_step(const Sums& sums, std::string_view name, std::size_t steps, NamedValues& values) {
  const auto sum = sums.find(name);
  if (sum != sums.end()) values.emplace_back(name, sum->second * 1e-9 / static_cast<double>(steps));
}

StepProfile summary(const ProfileStudy& study, Sums phases, const Sums& layers, double whole_ns) {
  double known = 0;
  for (const std::string_view phase : kPhases) known += phases.contains(phase) ? phases[phase] : 0;
  // Shares are fractions, whose sum may be above the whole by a rounding.
  phases[kOtherPhase] = std::max(0.0, whole_ns - known);
  const std::size_t steps = study.steps.size();
  StepProfile profile;
  profile.steps = static_cast<std::int64_t>(steps);
  for (const std::string_view phase : kPhases) add_seconds_of_a_step(phases, phase, steps, profile.phases);
  add_seconds_of_a_step(phases, kOtherPhase, steps, profile.phases);
  for (const std::string_view kind : layer_kinds()) {
    add_seconds_of_a_step(layers, kind, steps, profile.layers);
  }
  return profile;
}

StepProfile host_profile(const ProfileStudy& study) {
  return summary(study, host_phases(study), host_layers(study), host_ns(study));
}

StepProfile device_profile(const ProfileStudy& study, const std::vector<DeviceWork>& all) {
  const std::vector<double> shares = shares_ns(all);
  Sums phases = marked_phases(study);
  Sums layers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    phases[all[i].phase] += shares[i];
    layers[all[i].kind] += shares[i];
  }
  return summary(study, std::move(phases), layers, device_ns(study, all));
}

}  // namespace

Reading<StepProfile> profile_of(const std::vector<ProfileEvent>& events, ProfileTarget target) {
  const ProfileStudy study(events);
  if (study.steps.empty()) return absent("the profiler saw no step");
  if (target == ProfileTarget::kHost) return host_profile(study);
  const std::vector<DeviceWork> work = work_of_steps(study);
  if (work.empty()) {
    return absent("the profiler saw no work of the device: another one may be using it, or CUPTI is missing");
  }
  return device_profile(study, work);
}

}  // namespace gpubench
