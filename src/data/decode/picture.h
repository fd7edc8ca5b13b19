#pragma once
// Photographs: decoded, brought to one size, and kept like that in a file for the next time.

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

/// Decodes a JPEG or PNG file, told apart by its first bytes; transparent parts become white. A JPEG file may
/// be decoded at a half, a quarter or other part of its size, as long as no side falls below `enough`.
/// Missing where it is damaged, too large or of another format.
Measured<Picture> decode_picture(std::span<const std::byte> file, int enough);

/// Cuts the largest square out of the middle and brings it to `side` x `side`: red, green and blue planes,
/// one after the other, into `out` of 3 * side * side bytes. Every source pixel counts, with a weight that
/// falls linearly with its distance (a triangle filter, as wide as the reduction needs). Integers only: the
/// same picture gives the same bytes everywhere.
void resize_square(const Picture& picture, int side, std::span<std::byte> out);

/// The images of a folder at one size.
struct ResizedImages {
  std::vector<std::byte> pixels;
  std::string sha256;   ///< Of the pixels.
  std::string skipped;  ///< One line about what could not be used; empty where all could.
};

/// What was stored at `path` under `key`, which is one line: from 1 to `most` images of `side` x `side`.
/// Nothing where that is missing, damaged, of another key, or no such images.
std::optional<ResizedImages> read_image_cache(const std::filesystem::path& path, const std::string& key,
                                              int side, std::int64_t most);

/// Keeps `images`; the file appears only when it is whole. Where it cannot be written the images will be made
/// again: that is no error.
void write_image_cache(const std::filesystem::path& path, const std::string& key,
                       const ResizedImages& images);

}  // namespace gpubench
