#pragma once
// What of a package's file a LibTorch is made of.

#include <filesystem>
#include <string>

namespace gpubench {

/// Whether a file of a package is a part of a LibTorch of that flavour: libraries, headers, licences.
/// LibTorch for Python and, for the CPU alone, its CUDA part are not.
bool is_wanted(const std::string& path, const std::string& flavor);

/// Unpacks what is wanted of a package's file, a zip archive, below `folder`. Throws a data Error where the
/// archive is damaged or cannot be written.
void unpack_wheel(const std::filesystem::path& wheel, const std::string& flavor,
                  const std::filesystem::path& folder);

}  // namespace gpubench
