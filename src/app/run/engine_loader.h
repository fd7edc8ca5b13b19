#pragma once

#include "engine/api/engine.h"

namespace gpubench {

/// Returns the host allocator: "tuned", see tune_allocator(), or "system". It is the value of
/// GPUBENCH_ALLOCATOR, or `usual` if the variable is not set. Throws a usage Error for another value.
std::string allocator_setting(const std::string& usual = "tuned");

/// Removes PYTORCH_ENABLE_MPS_FALLBACK from the environment, and reports it if it was on. With the fallback,
/// LibTorch silently runs operations that MPS lacks on the CPU, so the times would be wrong.
void forbid_mps_fallback(bool is_quiet);

/// Loads the engine and LibTorch at the first call, which takes about half a second and applies
/// allocator_setting(). The engine is the file in GPUBENCH_ENGINE, else the installed one (find_engine()),
/// else the embedded one. Disables the MPS fallback without a message. Throws a usage Error with a remedy if
/// the engine or LibTorch is missing or cannot be loaded.
const Engine& load_engine();

}  // namespace gpubench
