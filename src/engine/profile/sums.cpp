#include "engine/profile/sums.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/profile/kinds.h"

namespace gpubench {
namespace {

// Time of work that overlaps, divided so that no moment counts twice.

struct Stretch {
  std::int64_t start_ns;
  std::int64_t end_ns;  ///< At least `start_ns`.
};

struct Edge {
  std::int64_t time_ns;
  std::size_t stretch;
};

std::vector<Edge> edges_of(const std::vector<Stretch>& stretches) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (stretches[i].end_ns <= stretches[i].start_ns) continue;
    edges.push_back({stretches[i].start_ns, i});
    edges.push_back({stretches[i].end_ns, i});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.time_ns < b.time_ns; });
  return edges;
}

/// How much of the time belongs to each: moments that several share are divided equally among them.
std::vector<double> shares_ns(const std::vector<Stretch>& stretches) {
  std::vector<double> shares(stretches.size(), 0);
  std::set<std::size_t> running;
  std::int64_t before = 0;
  for (const Edge& edge : edges_of(stretches)) {
    for (const std::size_t i : running) {
      shares[i] += static_cast<double>(edge.time_ns - before) / static_cast<double>(running.size());
    }
    before = edge.time_ns;
    // The first of its two edges is the start.
    if (running.erase(edge.stretch) == 0) running.insert(edge.stretch);
  }
  return shares;
}

/// A kernel, copy or fill.
struct DeviceWork {
  Stretch when;
  std::string_view phase;  ///< In which it was launched, or kOtherPhase.
  std::string_view kind;   ///< Of the operation that launched it, as of kind_in_phase.
};

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
    return {{work.start_ns, work.end_ns()}, phase, kind_in_phase(phase, kind)};
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
  for (const DeviceWork& work : all) end = std::max(end, work.when.end_ns);
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
  std::vector<Stretch> stretches;
  for (const DeviceWork& work : all) stretches.push_back(work.when);
  const std::vector<double> shares = shares_ns(stretches);
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
