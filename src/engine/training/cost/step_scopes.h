#pragma once
// The parts of a training step, named for profilers. Without one a scope costs next to nothing.

#include <ATen/record_function.h>

namespace gpubench {

inline constexpr const char* kInputScope = "gpubench.input";
inline constexpr const char* kForwardScope = "gpubench.forward";
inline constexpr const char* kBackwardScope = "gpubench.backward";
inline constexpr const char* kOptimizerScope = "gpubench.optimizer";

/// Marks what happens while it lives.
class StepScope {
 public:
  explicit StepScope(const char* name) : record_(at::RecordScope::USER_SCOPE) {
    if (record_.isActive()) record_.before(name);
  }

 private:
  at::RecordFunction record_;
};

}  // namespace gpubench
