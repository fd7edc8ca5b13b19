#pragma once
// The child's side of isolation: `gpubench worker` reads requests and answers them. No LibTorch of its own.

#include <functional>

#include "engine/api/engine.h"

namespace gpubench {

/// What a worker works with.
struct WorkerServices {
  std::function<const Engine&()> load_engine;  ///< Called at the first request.
  const Catalog<DatasetEntry>& datasets;
  const Clock& clock;
};

/// The descriptor on which a worker answers.
inline constexpr int kReplyDescriptor = 3;

/// Answers the requests that come from descriptor `input`, a line each, on descriptor `output`, until the
/// input ends. Where it ends while a case runs, the supervisor is gone and the process ends at once. Owns
/// neither descriptor.
void serve(const WorkerServices& services, int input, int output);

}  // namespace gpubench
