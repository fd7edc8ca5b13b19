#pragma once
// Photographs: decoded, resized and cached.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
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

struct ResizedImages {
  std::vector<std::byte> pixels;
  std::string sha256;   ///< Of the pixels.
  std::string skipped;  ///< One line about what could not be used; empty where all could.
};

/// Reads 1 to `most` images of `side` x `side` stored under `key`, one line. Nothing if missing or damaged.
std::optional<ResizedImages> read_image_cache(const std::filesystem::path& path, const std::string& key,
                                              int side, std::int64_t most);

/// Writes the file atomically. Ignores failures, since the images can be made again.
void write_image_cache(const std::filesystem::path& path, const std::string& key,
                       const ResizedImages& images);

}  // namespace gpubench
