#pragma once
// Loads a shared library that this program carries inside itself.

#include <cstddef>
#include <span>
#include <string>

namespace gpubench {

/// Loads the library in `image` for the rest of the process's life, and returns the address of `symbol` in
/// it. No file of it stays. Throws an internal Error with the loader's own words.
void* load_library(std::span<const std::byte> image, const std::string& symbol);

/// The same for a library in a file.
void* load_library(const std::string& path, const std::string& symbol);

}  // namespace gpubench
