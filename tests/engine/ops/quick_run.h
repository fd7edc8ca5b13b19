#pragma once
// Helpers that run operations in tests.

#include <string>

#include "workloads/op/op_run.h"

namespace gpubench::test {

/// Returns a request for three short samples.
inline OpPoint quick_request(const std::string& sizes, OpType type = OpType::kFp32) {
  OpPoint request;
  request.sizes = sizes;
  request.type = type;
  request.sample = Seconds{1e-5};
  request.limit = Seconds{0};
  return request;
}
inline OpPoint quick_request(const OpCase& sizes, OpType type = OpType::kFp32) {
  return quick_request(to_string(sizes), type);
}

inline OpRecord run_on_cpu(const OpEntry& entry, const OpPoint& request) {
  return run_op(entry, request, *open_device("cpu"), SteadyClock());
}

}  // namespace gpubench::test
