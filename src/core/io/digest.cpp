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

/// Throws std::bad_alloc where memory is short: libcrypto crashes where its first use meets that.
void require_memory() {
  constexpr std::size_t kForFirstUse = 1 << 20;
  ::operator delete(::operator new(kForFirstUse));
}

/// A running checksum.
class Digest {
 public:
  explicit Digest(const EVP_MD* algorithm) {
    require_memory();
    context_.reset(EVP_MD_CTX_new());
    require(context_ != nullptr && EVP_DigestInit_ex(context_.get(), algorithm, nullptr) == 1);
  }

  void add(const void* bytes, std::size_t size) {
    require(EVP_DigestUpdate(context_.get(), bytes, size) == 1);
  }

  std::string hexadecimal() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> value{};
    unsigned int size = 0;
    require(EVP_DigestFinal_ex(context_.get(), value.data(), &size) == 1);
    return fmt::format("{:02x}", fmt::join(std::span(value).first(size), ""));
  }

 private:
  /// A system in FIPS mode offers no MD5.
  static void require(bool is_done) {
    if (!is_done)
      throw Error(ErrorKind::kUsage,
                  "OpenSSL computes no checksum: memory is short, or the system allows no MD5");
  }

  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{nullptr, EVP_MD_CTX_free};
};

namespace {

std::string compute_digest(const EVP_MD* algorithm, std::span<const std::byte> bytes) {
  Digest digest(algorithm);
  digest.add(bytes.data(), bytes.size());
  return digest.hexadecimal();
}

}  // namespace

std::string md5(std::span<const std::byte> bytes) { return compute_digest(EVP_md5(), bytes); }

std::string sha1(std::span<const std::byte> bytes) { return compute_digest(EVP_sha1(), bytes); }

std::string sha256(std::span<const std::byte> bytes) { return compute_digest(EVP_sha256(), bytes); }

Sha256::Sha256() : digest_(std::make_unique<Digest>(EVP_sha256())) {}

Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) { digest_->add(bytes.data(), bytes.size()); }

std::string Sha256::hexadecimal() { return digest_->hexadecimal(); }

namespace {

std::string compute_digest(const EVP_MD* algorithm, const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  Digest digest(algorithm);
  std::vector<char> buffer(65'536);
  while (in.read(buffer.data(), std::ssize(buffer)) || in.gcount() > 0) {
    digest.add(buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (!in.eof()) throw Error(ErrorKind::kData, "{} cannot be read; check its permissions", path.string());
  return digest.hexadecimal();
}

}  // namespace

std::string md5_of_file(const std::filesystem::path& path) { return compute_digest(EVP_md5(), path); }

std::string sha256_of_file(const std::filesystem::path& path) { return compute_digest(EVP_sha256(), path); }

}  // namespace gpubench
