#include "gpubench/core/io/digest.h"

#include <algorithm>
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

/// Throws if a call to OpenSSL failed. MD5 fails in FIPS mode.
void require_success(bool is_successful) {
  require(is_successful,
          "OpenSSL: cannot compute a checksum; free memory, or allow MD5 (forbidden in FIPS mode)");
}

using Algorithm = const EVP_MD* (*)();

/// Returns the checksum of the bytes that `feed` passes to its argument.
template <class Feed>
std::string compute_digest(Algorithm algorithm, Feed feed) {
  // Throws std::bad_alloc if memory is short: libcrypto crashes if its first use runs out of memory.
  constexpr std::size_t kForFirstUse = 1 << 20;
  ::operator delete(::operator new(kForFirstUse));
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  require_success(context != nullptr && EVP_DigestInit_ex(context.get(), algorithm(), nullptr) == 1);
  feed([&](std::span<const std::byte> bytes) {
    require_success(EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1);
  });
  std::array<unsigned char, EVP_MAX_MD_SIZE> value{};
  unsigned int size = 0;
  require_success(EVP_DigestFinal_ex(context.get(), value.data(), &size) == 1);
  return fmt::format("{:02x}", fmt::join(std::span(value).first(size), ""));
}

std::string digest_bytes(Algorithm algorithm, std::span<const std::byte> bytes) {
  return compute_digest(algorithm, [&](const auto& add) { add(bytes); });
}

std::string digest_file(Algorithm algorithm, const std::filesystem::path& path) {
  return compute_digest(algorithm, [&](const auto& add) {
    std::ifstream in(path, std::ios::binary);
    std::vector<char> buffer(65'536);
    while (in.read(buffer.data(), std::ssize(buffer)) || in.gcount() > 0) {
      add(std::as_bytes(std::span(buffer).first(static_cast<std::size_t>(in.gcount()))));
    }
    if (!in.eof()) throw Error(ErrorKind::kData, "{}: cannot be read; check its permissions", path.string());
  });
}

}  // namespace

std::string md5(std::span<const std::byte> bytes) { return digest_bytes(EVP_md5, bytes); }

std::string sha1(std::span<const std::byte> bytes) { return digest_bytes(EVP_sha1, bytes); }

std::string sha256(std::span<const std::byte> bytes) { return digest_bytes(EVP_sha256, bytes); }

std::string sha256(std::span<const std::span<const std::byte>> parts) {
  return compute_digest(EVP_sha256, [&](const auto& add) { std::ranges::for_each(parts, add); });
}

std::string file_md5(const std::filesystem::path& path) { return digest_file(EVP_md5, path); }

std::string file_sha256(const std::filesystem::path& path) { return digest_file(EVP_sha256, path); }

}  // namespace gpubench
