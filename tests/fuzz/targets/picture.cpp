// JPEG and PNG files, decoded whole and at a reduced size, and resized.

#include "data/decode/picture.h"
#include "fuzz/target.h"

namespace gpubench::fuzz {
namespace {

constexpr int kSide = 64;

void require_bounded(const Picture& picture) {
  const std::int64_t pixels = std::int64_t{picture.width} * picture.height;
  require(picture.width > 0 && picture.width <= kMaxPictureSide, "a width is bounded");
  require(picture.height > 0 && picture.height <= kMaxPictureSide, "a height is bounded");
  require(pixels <= kMaxPicturePixels, "an area is bounded");
  require(std::ssize(picture.pixels) == 3 * pixels, "every pixel has three bytes");
}

void read(std::string_view input) {
  for (const int enough : {kMaxPictureSide, 2 * kSide}) {
    const Measured<Picture> picture = decode_picture(std::as_bytes(std::span(input)), enough);
    if (!picture.has_value()) {
      require(!picture.reason().empty(), "what is no picture has a reason");
      continue;
    }
    require_bounded(picture.value());
    std::vector<std::byte> planes(3 * kSide * kSide);
    resize_square(picture.value(), kSide, planes);
  }
}

}  // namespace

Target entry_picture() { return {Shape::kBytes, read}; }

}  // namespace gpubench::fuzz
