#pragma once
// Running operations in tests.

#include <optional>

#include "engine/ops/op_run.h"
#include "gpubench/core/clock.h"
#include "gpubench/op.h"

namespace gpubench::test {

/// A request that takes three short samples.
inline OpRequest quick_request(OpCase sizes, OpType type = OpType::kFp32) {
  OpRequest request;
  request.sizes = std::move(sizes);
  request.type = type;
  request.effort.sample = Seconds{1e-5};
  request.effort.limit = Seconds{0};
  return request;
}

inline OpRecord run_on_cpu(const OpEntry& entry, const OpRequest& request) {
  return run_op(entry, request, *open_device("cpu"), SteadyClock());
}

}  // namespace gpubench::test
