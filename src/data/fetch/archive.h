#pragma once
// Takes single files out of a tar or zip archive.

#include <filesystem>
#include <span>
#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

/// Unpacks the members of those paths, e.g. "folder/name.bin", beside the archive under their last component,
/// each of at most `limit` bytes, and removes the archive. A file appears under its name only when it is
/// whole. All other members are skipped. Throws a data Error if a member is missing or too large, or if the
/// archive is damaged.
void unpack_members(const std::filesystem::path& archive, std::span<const std::string> members, Bytes limit);

}  // namespace gpubench
