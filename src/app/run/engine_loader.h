#pragma once
// The engine of this program, which is inside it as a library that is loaded when it is needed.

#include "engine/api/engine.h"

namespace gpubench {

/// What is done about the allocator of host memory before LibTorch is loaded; see tune_allocator.
enum class Allocator { kTuned, kSystem };

/// "tuned" or "system", as --allocator has them. Throws a usage Error.
Allocator allocator_named(const std::string& name);
std::vector<std::string> allocator_names();

/// Loads the engine, and LibTorch with it, at the first call, which alone decides about the allocator; takes
/// about half a second then. The environment variable GPUBENCH_ENGINE names a file to load instead, for a
/// debugger that wants one. Throws an internal Error.
const Engine& load_engine(Allocator allocator = Allocator::kTuned);

}  // namespace gpubench
