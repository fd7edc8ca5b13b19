#include "gpubench/core/io/digest.h"

#include <array>
#include <fstream>
#include <memory>
#include <new>
#include <vector>

#include <fmt/ranges.h>
#include <openssl/evp.h>

#include "gpubench/core/error.h"

namespace gpubench {
namespace {

/// Throws std::bad_alloc if memory is short: libcrypto crashes if its first use runs out of memory.
void require_memory() {
  constexpr std::size_t kForFirstUse = 1 << 20;
  ::operator delete(::operator new(kForFirstUse));
}

/// Throws if a call to OpenSSL failed. MD5 fails in FIPS mode.
void require_success(bool is_successful) {
  if (!is_successful)
    throw Error(ErrorKind::kUsage,
                "OpenSSL: cannot compute a checksum; free memory, or allow MD5 (forbidden in FIPS mode)");
}

class Digest {
 public:
  explicit Digest(const EVP_MD* algorithm) {
    require_success(context_ != nullptr && EVP_DigestInit_ex(context_.get(), algorithm, nullptr) == 1);
  }

  void add(std::span<const std::byte> bytes) {
    require_success(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
  }

  std::string hexadecimal() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> value{};
    unsigned int size = 0;
    require_success(EVP_DigestFinal_ex(context_.get(), value.data(), &size) == 1);
    return fmt::format("{:02x}", fmt::join(std::span(value).first(size), ""));
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

using Algorithm = const EVP_MD* (*)();

std::string digest_bytes(Algorithm algorithm, std::span<const std::span<const std::byte>> parts) {
  require_memory();
  Digest digest(algorithm());
  for (const std::span<const std::byte> part : parts) digest.add(part);
  return digest.hexadecimal();
}

std::string digest_file(Algorithm algorithm, const std::filesystem::path& path) {
  require_memory();
  std::ifstream in(path, std::ios::binary);
  Digest digest(algorithm());
  std::vector<char> buffer(65'536);
  while (in.read(buffer.data(), std::ssize(buffer)) || in.gcount() > 0) {
    digest.add(std::as_bytes(std::span(buffer).first(static_cast<std::size_t>(in.gcount()))));
  }
  if (!in.eof()) throw Error(ErrorKind::kData, "{}: cannot be read; check its permissions", path.string());
  return digest.hexadecimal();
}

}  // namespace

std::string md5(std::span<const std::byte> bytes) { return digest_bytes(EVP_md5, std::array{bytes}); }

std::string sha1(std::span<const std::byte> bytes) { return digest_bytes(EVP_sha1, std::array{bytes}); }

std::string sha256(std::span<const std::byte> bytes) { return digest_bytes(EVP_sha256, std::array{bytes}); }

std::string sha256(std::span<const std::span<const std::byte>> parts) {
  return digest_bytes(EVP_sha256, parts);
}

std::string file_md5(const std::filesystem::path& path) { return digest_file(EVP_md5, path); }

std::string file_sha256(const std::filesystem::path& path) { return digest_file(EVP_sha256, path); }

}  // namespace gpubench
