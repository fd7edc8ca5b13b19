#pragma once
// Checksums, as lower-case hexadecimal.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace gpubench {

std::string md5(std::span<const std::byte> bytes);
std::string sha1(std::span<const std::byte> bytes);
std::string sha256(std::span<const std::byte> bytes);

/// MD5 of a file of any size. Throws a data Error if it cannot be read.
std::string md5_of_file(const std::filesystem::path& path);

}  // namespace gpubench
