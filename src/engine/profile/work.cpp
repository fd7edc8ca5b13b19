#include "engine/profile/work.h"

#include <unordered_map>

#include "engine/profile/kinds.h"

namespace gpubench {
namespace {

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

}  // namespace

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

}  // namespace gpubench
