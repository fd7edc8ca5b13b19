#pragma once
// Takes files out of a tar or zip archive.

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

/// Unpacks these members, e.g. "folder/name.bin", beside the archive under their last component, each at most
/// `limit` bytes, and removes the archive. Files appear only when whole. Throws a data Error if a member is
/// missing or too large, or if the archive is damaged.
void unpack_members(const std::filesystem::path& archive, std::span<const std::string> members, Bytes limit);

/// Unpacks the wanted regular files below `folder`, which is made. Refuses paths that lead out of it. May
/// leave some on failure. Throws a data Error for a damaged archive or unwritable files.
void unpack_tree(const std::filesystem::path& archive, const std::filesystem::path& folder,
                 const std::function<bool(const std::string& path)>& is_wanted);

}  // namespace gpubench
