#pragma once
// Constructed profiles, and helpers to check their sums.

#include <string>
#include <utility>
#include <vector>

#include "workloads/profile/sums.h"

namespace gpubench::test {

using What = ProfileEvent::What;
using Events = std::vector<ProfileEvent>;

// Times are in milliseconds. The default thread is 1.
inline constexpr std::int64_t kMillisecond = 1'000'000;

inline ProfileEvent event(What what, std::string name, double start, double end) {
  ProfileEvent e;
  e.what = what;
  e.name = std::move(name);
  e.thread = 1;
  e.start_ns = static_cast<std::int64_t>(start * kMillisecond);
  e.duration_ns = static_cast<std::int64_t>((end - start) * kMillisecond);
  return e;
}

inline ProfileEvent scope(const std::string& name, double start, double end) {
  return event(What::kScope, "gpubench." + name, start, end);
}

inline ProfileEvent operation(const std::string& name, double start, double end, std::uint64_t id = 0) {
  ProfileEvent e = event(What::kOperation, name, start, end);
  e.id = id;
  return e;
}

inline ProfileEvent on_thread(std::uint64_t thread, ProfileEvent e) {
  e.thread = thread;
  return e;
}

inline ProfileEvent launch(std::uint64_t launch_id, double start) {
  ProfileEvent e = event(What::kLaunch, "cudaLaunchKernel", start, start + 0.01);
  e.launch_id = launch_id;
  return e;
}

inline ProfileEvent kernel(std::uint64_t launch_id, std::uint64_t operation_id, double start, double end) {
  ProfileEvent e = event(What::kDeviceWork, "void sgemm<128>(float*)", start, end);
  e.thread = 0;
  e.launch_id = launch_id;
  e.operation_id = operation_id;
  return e;
}

inline double milliseconds(const NamedValues& values, const std::string& name) {
  for (const auto& [known, seconds] : values) {
    if (known == name) return seconds * 1e3;
  }
  return -1;
}

inline double total(const NamedValues& values) {
  double sum = 0;
  for (const auto& [name, seconds] : values) sum += seconds * 1e3;
  return sum;
}

inline std::vector<std::string> names(const NamedValues& values) {
  std::vector<std::string> all;
  for (const auto& [name, seconds] : values) all.push_back(name);
  return all;
}

inline StepProfile on_host(const Events& events) {
  return make_profile(events, ProfileTarget::kHost).value();
}
inline StepProfile on_device(const Events& events) {
  return make_profile(events, ProfileTarget::kDevice).value();
}

/// One step of 10 ms with every phase, and 1 ms outside of them.
inline Events whole_step() {
  return {scope("step", 0, 10), scope("input", 0, 1), scope("forward", 1, 4), scope("backward", 4, 8),
          scope("optimizer", 8, 9)};
}

inline Events with(Events events, const Events& more) {
  events.insert(events.end(), more.begin(), more.end());
  return events;
}

}  // namespace gpubench::test
