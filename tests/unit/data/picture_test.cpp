#include "data/decode/picture.h"

#include "files.h"
#include "pictures.h"

namespace gpubench::test::picture_test {
namespace {

std::optional<Picture> decoded(const std::string& file, int enough = 1 << 14) {
  const Measured<Picture> picture = decode_picture(std::as_bytes(std::span(file)), enough);
  return picture.has_value() ? std::optional(picture.value()) : std::nullopt;
}

std::string refusal(const std::string& file) {
  const Measured<Picture> picture = decode_picture(std::as_bytes(std::span(file)), 1);
  CHECK_FALSE(picture.has_value());
  CHECK_FALSE(picture.reason().empty());
  return picture.reason();
}

/// A picture in which every pixel differs from its neighbours.
Picture gradient(int width, int height) {
  Picture picture{width, height, {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (const int level : {3 * x, 3 * y, x + y})
        picture.pixels.push_back(static_cast<std::uint8_t>(level));
    }
  }
  return picture;
}

int largest_difference(const Picture& a, const Picture& b) {
  REQUIRE(a.pixels.size() == b.pixels.size());
  int largest = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    largest = std::max(largest, std::abs(int{a.pixels[i]} - int{b.pixels[i]}));
  }
  return largest;
}

std::vector<int> resized(const Picture& picture, int side) {
  std::vector<std::byte> out(static_cast<std::size_t>(3 * side * side));
  resize_square(picture, side, out);
  std::vector<int> levels;
  for (const std::byte byte : out) levels.push_back(std::to_integer<int>(byte));
  return levels;
}

/// `width` x `height` as the header of an otherwise good PNG file claims, with the right checksum.
std::string png_claiming(std::uint32_t width, std::uint32_t height) {
  std::string file = png_file(plain_picture(4, 4, 1, 2, 3));
  std::string header = "IHDR" + big_endian(width) + big_endian(height) + file.substr(24, 5);
  const auto checksum =
      crc32(0, reinterpret_cast<const Bytef*>(header.data()), static_cast<uInt>(header.size()));
  return file.substr(0, 12) + header + big_endian(static_cast<std::uint32_t>(checksum)) + file.substr(33);
}

/// Likewise a JPEG file.
std::string jpeg_claiming(int width, int height) {
  std::string file = jpeg_file(plain_picture(4, 4, 1, 2, 3));
  const std::size_t frame = file.find("\xff\xc0");
  for (const auto& [offset, extent] : {std::pair{5, height}, std::pair{7, width}}) {
    file[frame + static_cast<std::size_t>(offset)] = static_cast<char>(extent >> 8);
    file[frame + static_cast<std::size_t>(offset) + 1] = static_cast<char>(extent & 0xff);
  }
  return file;
}

TEST_CASE("a PNG file is decoded exactly, a JPEG file closely") {
  const Picture picture = gradient(60, 41);
  const auto png = decoded(png_file(picture));
  REQUIRE(png.has_value());
  CHECK(png->width == 60);
  CHECK(png->height == 41);
  CHECK(png->pixels == picture.pixels);
  for (const int flags : {0, TJFLAG_PROGRESSIVE}) {
    const auto jpeg = decoded(jpeg_file(picture, flags));
    REQUIRE(jpeg.has_value());
    CHECK(jpeg->width == 60);
    CHECK(largest_difference(*jpeg, picture) <= 6);
  }
}

TEST_CASE("grey images have three equal channels, and transparent parts are white") {
  const std::uint8_t grey[] = {0, 85, 170, 255};
  const auto from_grey = decoded(png_file(PNG_FORMAT_GRAY, 2, 2, grey));
  REQUIRE(from_grey.has_value());
  CHECK(from_grey->pixels == std::vector<std::uint8_t>{0, 0, 0, 85, 85, 85, 170, 170, 170, 255, 255, 255});
  const std::uint8_t clear[] = {10, 20, 30, 0, 10, 20, 30, 255};
  const auto from_clear = decoded(png_file(PNG_FORMAT_RGBA, 2, 1, clear));
  REQUIRE(from_clear.has_value());
  CHECK(from_clear->pixels == std::vector<std::uint8_t>{255, 255, 255, 10, 20, 30});
}

TEST_CASE("a large JPEG file is decoded at a part of its size that is still enough") {
  const std::string file = jpeg_file(gradient(640, 512));
  CHECK(decoded(file, 128)->height == 128);
  CHECK(decoded(file, 128)->width == 160);
  CHECK(decoded(file, 129)->height >= 129);
  CHECK(decoded(file, 513)->height == 512);
}

TEST_CASE("a truncated image is refused, wherever it ends") {
  for (const std::string& file : {png_file(gradient(60, 41)), jpeg_file(gradient(60, 41))}) {
    for (std::size_t size = 0; size + 16 < file.size(); size += 7) refusal(file.substr(0, size));
  }
}

TEST_CASE("an image whose header claims much is refused before anything is allocated for it") {
  CHECK(refusal(png_claiming(16'385, 1)) == "too large, 16385x1");
  CHECK(refusal(png_claiming(16'384, 16'384)) == "too large, 16384x16384");
  CHECK(refusal(jpeg_claiming(1, 16'385)) == "too large, 1x16385");
  CHECK(refusal(jpeg_claiming(65'500, 65'500)) == "too large, 65500x65500");
}

TEST_CASE("the middle of a wide or high picture is what stays") {
  Picture wide = plain_picture(6, 2, 9, 9, 9);
  for (const std::size_t x : {0u, 1u, 4u, 5u}) {
    for (const std::size_t y : {0u, 1u}) wide.pixels[3 * (6 * y + x)] = 200;
  }
  CHECK(resized(wide, 2) == std::vector<int>(12, 9));
  Picture high = plain_picture(1, 3, 50, 50, 50);
  high.pixels[3] = 7;
  CHECK(resized(high, 1) == std::vector<int>{7, 50, 50});
}

TEST_CASE("reduction weighs pixels by their distance, enlargement blends the two nearest") {
  // Along a row of 4 that becomes 2 the weights are 6, 6, 2, 0 and 0, 2, 6, 6 of 14.
  Picture picture = plain_picture(4, 4, 0, 0, 0);
  for (std::size_t i = 0; i < 16; ++i) picture.pixels[3 * i] = i % 4 == 1 ? 140 : 0;
  CHECK(std::vector(resized(picture, 2)).front() == 60);
  CHECK(resized(picture, 2)[1] == 20);
  Picture small = plain_picture(2, 2, 0, 0, 0);
  small.pixels[3] = small.pixels[9] = 100;
  const std::vector<int> large = resized(small, 4);
  CHECK(std::vector<int>(large.begin(), large.begin() + 4) == std::vector<int>{0, 25, 75, 100});
}

}  // namespace
}  // namespace gpubench::test::picture_test
