#include "gpubench/core/io/digest.h"

#include <array>
#include <fstream>
#include <new>
#include <vector>

#include <fmt/ranges.h>
#include <openssl/evp.h>

#include "gpubench/core/error.h"

namespace gpubench {
namespace {

/// Throws std::bad_alloc where memory is short: libcrypto crashes where its first use meets that.
void require_memory() {
  constexpr std::size_t kForFirstUse = 1 << 20;
  ::operator delete(::operator new(kForFirstUse));
}

/// A system in FIPS mode offers no MD5.
void require_done(bool is_done) {
  if (!is_done)
    throw Error(ErrorKind::kUsage,
                "OpenSSL computes no checksum: memory is short, or the system allows no MD5");
}

std::string digest_bytes(DigestKind kind, std::span<const std::byte> bytes) {
  Digest digest(kind);
  digest.add(bytes);
  return digest.hexadecimal();
}

std::string digest_file(DigestKind kind, const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  Digest digest(kind);
  std::vector<char> buffer(65'536);
  while (in.read(buffer.data(), std::ssize(buffer)) || in.gcount() > 0) {
    digest.add(std::as_bytes(std::span(buffer).first(static_cast<std::size_t>(in.gcount()))));
  }
  if (!in.eof()) throw Error(ErrorKind::kData, "{} cannot be read; check its permissions", path.string());
  return digest.hexadecimal();
}

}  // namespace

Digest::Digest(DigestKind kind) : context_(nullptr, EVP_MD_CTX_free) {
  require_memory();
  constexpr std::array kAlgorithms = {EVP_md5, EVP_sha1, EVP_sha256};
  const EVP_MD* const algorithm = kAlgorithms[static_cast<std::size_t>(kind)]();
  context_.reset(EVP_MD_CTX_new());
  require_done(context_ != nullptr && EVP_DigestInit_ex(context_.get(), algorithm, nullptr) == 1);
}

void Digest::add(std::span<const std::byte> bytes) {
  require_done(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Digest::hexadecimal() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> value{};
  unsigned int size = 0;
  require_done(EVP_DigestFinal_ex(context_.get(), value.data(), &size) == 1);
  return fmt::format("{:02x}", fmt::join(std::span(value).first(size), ""));
}

std::string md5(std::span<const std::byte> bytes) { return digest_bytes(DigestKind::kMd5, bytes); }

std::string sha1(std::span<const std::byte> bytes) { return digest_bytes(DigestKind::kSha1, bytes); }

std::string sha256(std::span<const std::byte> bytes) { return digest_bytes(DigestKind::kSha256, bytes); }

std::string md5_of_file(const std::filesystem::path& path) { return digest_file(DigestKind::kMd5, path); }

std::string sha256_of_file(const std::filesystem::path& path) {
  return digest_file(DigestKind::kSha256, path);
}

}  // namespace gpubench
