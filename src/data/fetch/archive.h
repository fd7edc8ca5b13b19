#pragma once
// Takes files out of a tar or zip archive.

#include <filesystem>
#include <functional>
#include <limits>
#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

/// Unpacks the wanted regular files, each at most `limit` bytes, below `folder`, which is made. Files appear
/// only when whole, and replace others. Throws a data Error for a damaged archive, a path that leads out of
/// the folder, and a file that is too large or cannot be written; files before it stay.
void unpack_archive(const std::filesystem::path& archive, const std::filesystem::path& folder,
                    const std::function<bool(const std::string& path)>& is_wanted,
                    Bytes limit = {std::numeric_limits<std::int64_t>::max()});

}  // namespace gpubench
