// Decoding and resizing of pictures in dataset "images" to 64x64.

#include "files.h"
#include "gpubench/dataset.h"
#include "pictures.h"
#include "support/scoped_variable.h"
#include "support/temp_dir.h"

namespace gpubench::test::picture_test {
namespace {

constexpr int kSide = 64;

Dataset load(const std::string& file) {
  const TempDir dir;
  const ScopedVariable cache("XDG_CACHE_HOME", (dir.path() / "cache").string());
  dir.file("images/good.png", png_file(plain_picture(1, 1, 0, 0, 0)));
  dir.file("images/it.png", file);
  return datasets().find("images")->load(dir.path() / "images", {Task::kImages, {3, kSide, kSide}, 0});
}

/// Returns the red, green and blue planes.
std::vector<int> planes(const std::string& file) {
  const Dataset dataset = load(file);
  REQUIRE(dataset.train.size() == 2);
  std::vector<int> levels;
  for (std::size_t i = 3 * kSide * kSide; i < dataset.train.inputs.bytes.size(); ++i)
    levels.push_back(std::to_integer<int>(dataset.train.inputs.bytes[i]));
  return levels;
}

std::string refusal(const std::string& file) { return load(file).record.note; }

/// Returns a picture in which every pixel differs from its neighbours.
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

/// Returns a PNG file whose header has another width and height, with a valid checksum.
std::string png_claiming(std::uint32_t width, std::uint32_t height) {
  std::string file = png_file(plain_picture(4, 4, 1, 2, 3));
  std::string header = "IHDR" + big_endian(width) + big_endian(height) + file.substr(24, 5);
  const auto checksum =
      crc32(0, reinterpret_cast<const Bytef*>(header.data()), static_cast<uInt>(header.size()));
  return file.substr(0, 12) + header + big_endian(static_cast<std::uint32_t>(checksum)) + file.substr(33);
}

/// Returns a JPEG file whose header has another width and height.
std::string jpeg_claiming(int width, int height) {
  std::string file = jpeg_file(plain_picture(4, 4, 1, 2, 3));
  const std::size_t frame = file.find("\xff\xc0");
  for (const auto& [offset, extent] : {std::pair{5, height}, std::pair{7, width}}) {
    file[frame + static_cast<std::size_t>(offset)] = static_cast<char>(extent >> 8);
    file[frame + static_cast<std::size_t>(offset) + 1] = static_cast<char>(extent & 0xff);
  }
  return file;
}

TEST_CASE("a PNG file of the final size is decoded exactly, a JPEG file approximately") {
  const Picture picture = gradient(kSide, kSide);
  const std::vector<int> exact = planes(png_file(picture));
  REQUIRE(exact.size() == picture.pixels.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const std::size_t plane = i / (kSide * kSide);
    if (exact[i] != picture.pixels[i % (kSide * kSide) * 3 + plane]) FAIL("byte " << i << " differs");
  }
  for (const int flags : {0, TJFLAG_PROGRESSIVE}) {
    const std::vector<int> close = planes(jpeg_file(picture, flags));
    REQUIRE(close.size() == exact.size());
    for (std::size_t i = 0; i < exact.size(); ++i) {
      if (std::abs(close[i] - exact[i]) > 6) FAIL("byte " << i << " is far off");
    }
  }
}

TEST_CASE("grey images become three equal channels, and transparent parts become white") {
  const std::uint8_t grey[] = {85};
  CHECK(planes(png_file(PNG_FORMAT_GRAY, 1, 1, grey)) == std::vector<int>(3 * kSide * kSide, 85));
  const std::uint8_t clear[] = {10, 20, 30, 0};
  CHECK(planes(png_file(PNG_FORMAT_RGBA, 1, 1, clear)) == std::vector<int>(3 * kSide * kSide, 255));
}

TEST_CASE("a truncated image is skipped") {
  for (const std::string& file : {png_file(gradient(60, 41)), jpeg_file(gradient(60, 41))}) {
    for (std::size_t size = 0; size + 16 < file.size(); size += 99)
      CHECK_THAT(refusal(file.substr(0, size)),
                 contains_text("1 of 2 pictures skipped, the first is it.png: "));
  }
}

TEST_CASE("an image with a huge size in its header is skipped before memory is allocated") {
  CHECK_THAT(refusal(png_claiming(16'385, 1)), contains_text("too large, 16385x1"));
  CHECK_THAT(refusal(png_claiming(16'384, 16'384)), contains_text("too large, 16384x16384"));
  CHECK_THAT(refusal(jpeg_claiming(1, 16'385)), contains_text("too large, 1x16385"));
  CHECK_THAT(refusal(jpeg_claiming(65'500, 65'500)), contains_text("too large, 65500x65500"));
}

TEST_CASE("wide and high pictures are cropped to the center, even if a JPEG is decoded at a reduced size") {
  Picture wide = plain_picture(6 * kSide, 2 * kSide, 9, 9, 9);
  for (std::size_t i = 0; i < wide.pixels.size(); ++i) {
    const std::size_t column = i / 3 % (6 * kSide);
    if (column < 2 * kSide || column >= 4 * kSide) wide.pixels[i] = 200;
  }
  CHECK(planes(png_file(wide)) == std::vector<int>(3 * kSide * kSide, 9));
  CHECK(planes(jpeg_file(plain_picture(1024, 512, 9, 9, 9))) == std::vector<int>(3 * kSide * kSide, 9));
  Picture high = plain_picture(1, 3, 50, 50, 50);
  high.pixels[3] = 7;
  CHECK(planes(png_file(high)).front() == 7);
}

TEST_CASE("reduction averages pixels, and enlargement repeats them") {
  Picture large = plain_picture(2 * kSide, 2 * kSide, 0, 0, 0);
  for (std::size_t i = 0; i < large.pixels.size(); i += 3)
    large.pixels[i] = i / 3 % (2 * kSide) == 20 ? 160 : 0;
  const std::vector<int> reduced = planes(png_file(large));
  CHECK(std::vector<int>(reduced.begin() + 9, reduced.begin() + 12) == std::vector<int>{0, 80, 0});
  Picture small = plain_picture(2, 2, 0, 0, 0);
  small.pixels[3] = small.pixels[9] = 128;
  const std::vector<int> enlarged = planes(png_file(small));
  CHECK(enlarged[31] == 0);
  CHECK(enlarged[32] == 128);
}

}  // namespace
}  // namespace gpubench::test::picture_test
