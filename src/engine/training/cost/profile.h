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

/// Marks a part of a step while it lives, by a name of engine/profile/sums.h. Cheap without a profiler.
class StepScope {
 public:
  explicit StepScope(const char* name) : record_(at::RecordScope::USER_SCOPE) {
    if (record_.isActive()) record_.before(name);
  }

 private:
  at::RecordFunction record_;
};

/// Warms up, then profiles `steps` calls of `step`. Sets record.profile_phases and profile_layers; writes a
/// Chrome trace unless `trace_file` is empty. Failures are warnings. Trains on: call last; synchronizes.
void profile_steps(const std::function<void()>& step, std::int64_t steps, const std::string& trace_file,
                   Device& device, CaseRecord& record);

}  // namespace gpubench
