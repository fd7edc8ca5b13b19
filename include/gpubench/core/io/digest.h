#pragma once
// Checksums, as lower-case hexadecimal.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace gpubench {

class Digest;

std::string md5(std::span<const std::byte> bytes);
std::string sha1(std::span<const std::byte> bytes);
std::string sha256(std::span<const std::byte> bytes);

/// A SHA-256 of bytes that come piece by piece. Throws a usage Error where OpenSSL offers none.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::span<const std::byte> bytes);
  /// Of all that was added; nothing is added after it.
  std::string hexadecimal();

 private:
  std::unique_ptr<Digest> digest_;
};

/// MD5 of a file of any size. Throws a data Error if it cannot be read.
std::string md5_of_file(const std::filesystem::path& path);
/// The same for SHA-256.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace gpubench
