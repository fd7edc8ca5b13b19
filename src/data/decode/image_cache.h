#pragma once
// Images that were decoded and resized before, in one file.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gpubench/core/units.h"

namespace gpubench {

/// What is kept.
struct ResizedImages {
  std::vector<std::byte> pixels;
  std::string sha256;   ///< Of the pixels.
  std::string skipped;  ///< One line about what could not be used; empty where all could.
};

/// What was stored at `path` under `key`, which is one line. Nothing where that is missing, damaged, of
/// another key or of more than `limit` bytes of pixels.
std::optional<ResizedImages> read_image_cache(const std::filesystem::path& path, const std::string& key,
                                              Bytes limit);

/// Keeps `images`; the file appears only when it is whole. Where it cannot be written the images will be made
/// again: that is no error.
void write_image_cache(const std::filesystem::path& path, const std::string& key,
                       const ResizedImages& images);

}  // namespace gpubench
