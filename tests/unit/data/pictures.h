#pragma once
// Contents of image files.

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <png.h>
#include <turbojpeg.h>

namespace gpubench::test {

/// Rows from the top, three bytes per pixel in the order red, green, blue.
struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;
};

/// Returns an image of one colour.
inline Picture plain_picture(int width, int height, std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  Picture picture{width, height, {}};
  for (int i = 0; i < width * height; ++i) {
    picture.pixels.insert(picture.pixels.end(), {red, green, blue});
  }
  return picture;
}

inline std::string png_file(png_uint_32 format, int width, int height, const void* pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = format;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels, 0, nullptr) == 0) {
    throw std::runtime_error(image.message);
  }
  bytes.resize(size);
  return bytes;
}

inline std::string png_file(const Picture& picture) {
  return png_file(PNG_FORMAT_RGB, picture.width, picture.height, picture.pixels.data());
}

/// Returns a JPEG file of the best quality, with full colour resolution.
inline std::string jpeg_file(const Picture& picture, int flags = 0) {
  const std::unique_ptr<void, decltype(&tjDestroy)> encoder(tjInitCompress(), tjDestroy);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const int status = tjCompress2(encoder.get(), picture.pixels.data(), picture.width, 0, picture.height,
                                 TJPF_RGB, &bytes, &size, TJSAMP_444, 100, flags);
  const std::unique_ptr<unsigned char, decltype(&tjFree)> cleanup(bytes, tjFree);
  if (status != 0) throw std::runtime_error("cannot make a JPEG file");
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace gpubench::test
