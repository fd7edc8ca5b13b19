#pragma once

#include "engine/api/engine.h"

namespace gpubench {

/// Returns the allocator of host memory: "tuned", see tune_allocator(), or "system". It is in the environment
/// variable GPUBENCH_ALLOCATOR; `usual` without one. Throws a usage Error for another value.
std::string allocator_setting(const std::string& usual = "tuned");

/// Removes PYTORCH_ENABLE_MPS_FALLBACK from the environment, and prints that if it was on. With it LibTorch
/// computes an operation that MPS lacks on the CPU and copies the result back, which the time would hide.
void forbid_mps_fallback(bool is_quiet);

/// Loads the engine, and LibTorch with it, at the first call, which takes about half a second and applies
/// allocator_setting(). The engine is the file in the environment variable GPUBENCH_ENGINE, else the one that
/// is installed with the program (find_engine()), else the one inside it. Forbids the fallback of MPS
/// without a message. Throws a usage Error with the remedy if one of them is missing or cannot be loaded.
const Engine& load_engine();

}  // namespace gpubench
