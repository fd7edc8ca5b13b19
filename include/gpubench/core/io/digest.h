#pragma once
// Checksums in lower-case hexadecimal. All functions throw a usage Error if OpenSSL lacks the algorithm.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace gpubench {

std::string md5(std::span<const std::byte> bytes);
std::string sha1(std::span<const std::byte> bytes);
std::string sha256(std::span<const std::byte> bytes);

/// Returns the checksum of the concatenated parts.
std::string sha256(std::span<const std::span<const std::byte>> parts);

/// Return the checksum of a file of any size. Throw a data Error if it cannot be read.
std::string file_md5(const std::filesystem::path& path);
std::string file_sha256(const std::filesystem::path& path);

}  // namespace gpubench
