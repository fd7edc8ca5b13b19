#pragma once
// Checksums, as lower-case hexadecimal. All throw a usage Error if OpenSSL offers none.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace gpubench {

enum class DigestKind { kMd5, kSha1, kSha256 };

/// A checksum of bytes that come piece by piece.
class Digest {
 public:
  explicit Digest(DigestKind kind);

  void add(std::span<const std::byte> bytes);
  /// Returns the checksum of all that was added; nothing is added after it.
  std::string hexadecimal();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

std::string md5(std::span<const std::byte> bytes);
std::string sha1(std::span<const std::byte> bytes);
std::string sha256(std::span<const std::byte> bytes);

/// MD5 of a file of any size. Throws a data Error if it cannot be read.
std::string md5_of_file(const std::filesystem::path& path);
/// SHA-256 of a file of any size. Throws a data Error if it cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace gpubench
