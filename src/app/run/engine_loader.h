#pragma once

#include "engine/api/engine.h"

namespace gpubench {

/// Settings of the host allocator, made before LibTorch is loaded; see tune_allocator.
enum class Allocator { kTuned, kSystem };

/// Reads "tuned" or "system", the values of --allocator. Throws a usage Error.
Allocator allocator_named(const std::string& name);
std::vector<std::string> allocator_names();

/// Removes PYTORCH_ENABLE_MPS_FALLBACK from the environment, and prints that if it was on. With it LibTorch
/// computes an operation that MPS lacks on the CPU and copies the result back, which the time would hide.
void forbid_mps_fallback(bool is_quiet);

/// Loads the engine, and LibTorch with it, at the first call, which takes about half a second and decides
/// about the allocator. The engine is the file in the environment variable GPUBENCH_ENGINE, else the one that
/// is installed with the program (engine_files.h), else the one inside it. Forbids the fallback of MPS
/// without a message. Throws a usage Error with the remedy if one of them is missing or cannot be loaded.
const Engine& load_engine(Allocator allocator = Allocator::kTuned);

}  // namespace gpubench
