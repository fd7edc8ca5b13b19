#pragma once
// The engine of this program, a library that is loaded when it is needed.

#include "engine/api/engine.h"

namespace gpubench {

/// What is done about the allocator of host memory before LibTorch is loaded; see tune_allocator.
enum class Allocator { kTuned, kSystem };

/// "tuned" or "system", as --allocator has them. Throws a usage Error.
Allocator allocator_named(const std::string& name);
std::vector<std::string> allocator_names();

/// Takes the variable PYTORCH_ENABLE_MPS_FALLBACK away from this process and those that it starts, and says
/// so where it was on. With it LibTorch, which reads it when it is loaded, computes an operation that MPS
/// lacks on the CPU and copies the result back, which nobody would see in the time.
void forbid_mps_fallback(bool is_quiet);

/// Loads the engine, and LibTorch with it, at the first call, which alone decides about the allocator; takes
/// about half a second then. The engine is the file that the environment variable GPUBENCH_ENGINE names, else
/// the one that is installed with the program (engine_files.h), else the one inside it. LibTorch is found by
/// itself, as where it comes with the program, or where `gpubench setup` put it. Forbids the fallback of MPS
/// in silence. Throws a usage Error with the remedy where one of them is missing or cannot be loaded.
const Engine& load_engine(Allocator allocator = Allocator::kTuned);

}  // namespace gpubench
