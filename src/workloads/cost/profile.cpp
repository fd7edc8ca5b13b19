#include "workloads/cost/cost.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

#include <ATen/record_function.h>
#include <kineto/ActivityType.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include "engine/torch/failure.h"
#include "gpubench/core/io/files.h"
#include "workloads/profile/sums.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;
namespace kineto = torch::autograd::profiler;
using libkineto::ActivityType;
using What = ProfileEvent::What;
using ProfilerResult = std::unique_ptr<kineto::ProfilerResult>;

ProfilerResult run_profiled(const std::function<void()>& step, std::int64_t steps, ProfileTarget target,
                            Device& device) {
  constexpr int kWarmUpSteps = 3;  // The first steps under the profiler include its start-up time.
  const kineto::ProfilerConfig config{kineto::ProfilerState::KINETO};
  std::set<kineto::ActivityType> activities{kineto::ActivityType::CPU};
  if (target == ProfileTarget::kDevice) activities.insert(kineto::ActivityType::CUDA);
  // Silences Kineto's stderr, such as missing CUDA drivers on a CPU; failures are still reported.
  setenv("KINETO_LOG_LEVEL", "9", 0);
  kineto::prepareProfiler(config, activities);
  bool is_on = false;
  try {
    for (int i = 0; i < kWarmUpSteps; ++i) step();
    device.synchronize();
    kineto::enableProfiler(config, activities);
    is_on = true;
    for (std::int64_t i = 0; i < steps; ++i) {
      RECORD_USER_SCOPE(kStepScope);
      step();
    }
    device.synchronize();
  } catch (...) {
    // A prepared profiler must be started and stopped, or the next one fails.
    if (!is_on) kineto::enableProfiler(config, activities);
    kineto::disableProfiler();
    throw;
  }
  return kineto::disableProfiler();
}

/// Returns events without waits, the profiler's overhead and the device's copies of scopes.
std::vector<ProfileEvent> list_events(const kineto::ProfilerResult& result) {
  static const std::map<ActivityType, What> known = {
      {ActivityType::USER_ANNOTATION, What::kScope},        {ActivityType::CPU_OP, What::kOperation},
      {ActivityType::CUDA_RUNTIME, What::kLaunch},          {ActivityType::CUDA_DRIVER, What::kLaunch},
      {ActivityType::CONCURRENT_KERNEL, What::kDeviceWork}, {ActivityType::GPU_MEMCPY, What::kDeviceWork},
      {ActivityType::GPU_MEMSET, What::kDeviceWork}};
  std::vector<ProfileEvent> events;
  for (const kineto::KinetoEvent& event : result.events()) {
    const auto what = known.find(static_cast<ActivityType>(event.activityType()));
    if (what == known.end()) continue;
    // Launches and device work share CUPTI's correlation id and link to the id of their operation.
    const bool is_operation = what->second == What::kOperation;
    events.push_back({.what = what->second,
                      .name = event.name(),
                      .thread = event.startThreadId(),
                      .start_ns = static_cast<std::int64_t>(event.startNs()),
                      .duration_ns = static_cast<std::int64_t>(event.durationNs()),
                      .id = is_operation ? event.correlationId() : 0,
                      .operation_id = is_operation ? 0 : event.linkedCorrelationId(),
                      .launch_id = is_operation ? 0 : event.correlationId()});
  }
  return events;
}

void write_trace(kineto::ProfilerResult& result, const fs::path& file) {
  if (file.has_parent_path()) fs::create_directories(file.parent_path());
  const std::error_code error = replace_file(file, [&](int, const fs::path& draft) {
    result.save(draft.string());
    // Kineto only logs a failure to write the file.
    errno = EIO;
    std::error_code unknown;
    return fs::file_size(draft, unknown) > 0 && !unknown;
  });
  if (error) throw std::runtime_error("cannot write the file: " + error.message());
}

}  // namespace

void profile_steps(const std::function<void()>& step, std::int64_t steps, const std::string& trace_file,
                   Device& device, CaseRecord& record) {
  ProfilerResult result;
  Measured<StepProfile> profile;
  try {
    const c10::Device place(device.name());
    if (!place.is_cpu() && !place.is_cuda())
      throw std::runtime_error("LibTorch's profiler does not support " + device.name());
    const ProfileTarget target = place.is_cpu() ? ProfileTarget::kHost : ProfileTarget::kDevice;
    result = run_profiled(step, steps, target, device);
    profile = make_profile(list_events(*result), target);
  } catch (const std::exception& error) {
    profile = missing(classify(error).message);
  }
  record.profile_phases = profile.then(&StepProfile::phases);
  record.profile_layers = profile.then(&StepProfile::layers);
  if (!profile.has_value())
    record.warnings.push_back(make_warning(WarningKind::kNoProfile, {}, profile.reason()));
  if (trace_file.empty()) return;
  try {
    if (!result) throw std::runtime_error(profile.reason());
    write_trace(*result, trace_file);
  } catch (const std::exception& error) {
    record.warnings.push_back(make_warning(WarningKind::kNoTrace, {}, trace_file + ": " + error.what()));
  }
}

}  // namespace gpubench
