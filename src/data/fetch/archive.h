#pragma once
// Takes files out of a tar or zip archive.

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

/// Unpacks the members of those paths, e.g. "folder/name.bin", beside the archive under their last component,
/// each of at most `limit` bytes, and removes the archive. A file appears under its name only when it is
/// whole. All other members are skipped. Throws a data Error if a member is missing or too large, or if the
/// archive is damaged.
void unpack_members(const std::filesystem::path& archive, std::span<const std::string> members, Bytes limit);

/// Unpacks the regular files whose path `is_wanted` below `folder`, which is made. Paths that lead out of it
/// are refused. A failure leaves some of them. Throws a data Error if the archive is damaged or the files
/// cannot be written.
void unpack_tree(const std::filesystem::path& archive, const std::filesystem::path& folder,
                 const std::function<bool(const std::string& path)>& is_wanted);

}  // namespace gpubench
