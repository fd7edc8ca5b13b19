// The cache of resized images: as it lies there, and forged by someone who knows how checksums are made. The
// first line of the input is what was left out, the rest is pixels.

#include "data/decode/picture.h"
#include "fuzz/pieces.h"
#include "fuzz/target.h"
#include "gpubench/core/io/digest.h"

namespace gpubench::fuzz {
namespace {

constexpr int kSide = 4;
constexpr std::size_t kImageBytes = 3 * kSide * kSide;
constexpr std::int64_t kMost = 8;

void require_whole(const ResizedImages& images) {
  require(!images.pixels.empty() && images.pixels.size() % kImageBytes == 0, "images are whole");
  require(images.pixels.size() <= kMost * kImageBytes, "there are as many images as there can be");
}

ResizedImages forged(std::string_view input) {
  const std::vector<std::string> lines = list_lines(input, 2);
  ResizedImages images;
  if (!lines.empty()) images.skipped = lines[0];
  if (lines.size() > 1) {
    const auto bytes = std::as_bytes(std::span(lines[1]));
    images.pixels.assign(bytes.begin(), bytes.end());
  }
  images.sha256 = sha256(images.pixels);
  return images;
}

void read(std::string_view input) {
  const std::filesystem::path path = lasting_file(input);
  if (const auto images = read_image_cache(path, "key", kSide, kMost)) require_whole(*images);
  const ResizedImages written = forged(input);
  write_image_cache(path, "key", written);
  const auto again = read_image_cache(path, "key", kSide, kMost);
  if (!again) return;
  require_whole(*again);
  require(again->pixels == written.pixels && again->skipped == written.skipped, "what was kept is read");
}

}  // namespace

Target entry_image_cache() { return {Shape::kBytes, read}; }

}  // namespace gpubench::fuzz
