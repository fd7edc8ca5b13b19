#include "data/decode/image_cache.h"

#include <algorithm>
#include <span>

#include "data/fetch/folder_lock.h"
#include "data/fetch/part_file.h"
#include "data/fetch/raw_file.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/digest.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

const char* const kFormat = "gpubench images 1";
constexpr Bytes kMaxHeader{65'536};

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// Four lines, then their own checksum. The pixels follow.
std::string header(const std::string& key, const std::string& pixels_sha256, const std::string& skipped) {
  const std::string lines = std::string(kFormat) + "\n" + key + "\n" + pixels_sha256 + "\n" + skipped + "\n";
  return lines + sha256(bytes_of(lines)) + "\n";
}

/// Cuts a line off the front of `text`.
std::string cut_line(std::string_view& text) {
  const std::size_t size = std::min(text.find('\n'), text.size());
  const std::string line(text.substr(0, size));
  text.remove_prefix(std::min(size + 1, text.size()));
  return line;
}

std::optional<ResizedImages> parse(std::vector<std::byte> file, const std::string& key) {
  std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (cut_line(text) != kFormat || cut_line(text) != key) return {};
  ResizedImages images;
  images.sha256 = cut_line(text);
  images.skipped = cut_line(text);
  const std::string expected = header(key, images.sha256, images.skipped);
  if (!std::ranges::equal(std::span(file).first(std::min(expected.size(), file.size())),
                          bytes_of(expected))) {
    return {};
  }
  file.erase(file.begin(), file.begin() + std::ssize(expected));
  images.pixels = std::move(file);
  if (sha256(images.pixels) != images.sha256) return {};
  return images;
}

void write(const fs::path& path, const std::string& key, const ResizedImages& images) {
  const FolderLock lock(path.parent_path());
  PartFile file(path);
  try {
    file.restart();
    file.append(bytes_of(header(key, images.sha256, images.skipped)));
    file.append(images.pixels);
    file.publish();
  } catch (const Error&) {
    file.discard();
    throw;
  }
}

}  // namespace

std::optional<ResizedImages> read_image_cache(const fs::path& path, const std::string& key, Bytes limit) {
  try {
    return parse(read_raw_file(path, "images", limit + kMaxHeader).bytes, key);
  } catch (const Error&) {
    return {};
  }
}

void write_image_cache(const fs::path& path, const std::string& key, const ResizedImages& images) {
  try {
    write(path, key, images);
  } catch (const Error&) {
    // As where the data directory is read-only.
  }
}

}  // namespace gpubench
