#pragma once
// Photographs: decoded and resized.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpubench/core/measured.h"

namespace gpubench {

/// A decoded image: rows from the top, of three bytes a pixel, red, green and blue.
struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;
};

/// Larger images are not decoded, so that a small file cannot claim much memory.
inline constexpr int kMaxPictureSide = 16'384;
inline constexpr std::int64_t kMaxPicturePixels = std::int64_t{1} << 26;

/// Decodes JPEG or PNG by the first bytes; transparent parts become white. A JPEG file may be reduced while
/// decoding, with no side below `enough`. Missing for damaged, too large or unknown files.
Measured<Picture> decode_picture(std::span<const std::byte> file, int enough);

/// Crops the center square and resizes it to `side` x `side`: planes of red, green and blue in `out`, of
/// 3 * side * side bytes. A triangle filter as wide as the reduction needs. Integers only: reproducible.
void resize_square(const Picture& picture, int side, std::span<std::byte> out);

}  // namespace gpubench
