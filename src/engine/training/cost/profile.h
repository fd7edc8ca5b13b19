#pragma once
// Runs some steps under LibTorch's profiler, outside of the timed epochs. See docs/profile.md.

#include <cstdint>
#include <functional>
#include <string>

#include <ATen/record_function.h>

#include "engine/profile/sums.h"
#include "gpubench/device.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Marks a part of a training step, from construction to destruction, with a name of engine/profile/sums.h.
/// Without a profiler it costs next to nothing.
class StepScope {
 public:
  explicit StepScope(const char* name) : record_(at::RecordScope::USER_SCOPE) {
    if (record_.isActive()) record_.before(name);
  }

 private:
  at::RecordFunction record_;
};

/// Runs `step`, which trains one step on `device` and marks its parts (see StepScope), a few times to warm up
/// and then `steps` times under the profiler. Sets record.profile_phases and profile_layers. Writes a Chrome
/// trace to `trace_file` unless that is empty, and makes its folder. Never throws: failures are warnings of
/// the record. Trains on: call it last. Waits for the device.
void profile_steps(const std::function<void()>& step, std::int64_t steps, const std::string& trace_file,
                   Device& device, CaseRecord& record);

}  // namespace gpubench
