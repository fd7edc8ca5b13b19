#pragma once
// The engine of this program, which is inside it as a library that is loaded when it is needed.

#include "gpubench/engine/engine.h"

namespace gpubench {

/// Loads the engine, and LibTorch with it, at the first call; takes about half a second then. The environment
/// variable GPUBENCH_ENGINE names a file to load instead, for a debugger that wants one. Throws an internal
/// Error.
const Engine& load_engine();

}  // namespace gpubench
