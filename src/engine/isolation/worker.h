#pragma once
// The child's side of isolation: `gpubench worker` reads requests and answers them. No LibTorch of its own.

#include <functional>

#include "engine/api/engine.h"

namespace gpubench {

/// The descriptor on which a worker answers.
inline constexpr int kReplyDescriptor = 3;

/// Answers the requests that come from standard input, a line each, on kReplyDescriptor, until the input
/// ends. Where it ends while a case runs, the supervisor is gone and the process ends at once. `load_engine`
/// is called at the first request. `loaded_in` is what it took in the process that this one is a copy of.
void serve(const std::function<const Engine&()>& load_engine, Seconds loaded_in = {});

}  // namespace gpubench
