#include "data/decode/picture.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <png.h>
#include <turbojpeg.h>

namespace gpubench {
namespace {

using namespace std::string_view_literals;

constexpr int kChannels = 3;

std::string objection(std::int64_t width, std::int64_t height) {
  if (width < 1 || height < 1) return "no pixels";
  const bool is_large =
      width > kMaxPictureSide || height > kMaxPictureSide || width * height > kMaxPicturePixels;
  return is_large ? fmt::format("too large, {}x{}", width, height) : "";
}

Picture blank(int width, int height) {
  return {width, height,
          std::vector<std::uint8_t>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
                                    kChannels)};
}

/// Returns the strongest reduction that leaves `enough` pixels a side.
tjscalingfactor reduction(int width, int height, int enough) {
  int count = 0;
  const tjscalingfactor* const offered = tjGetScalingFactors(&count);
  tjscalingfactor best{1, 1};
  for (const tjscalingfactor& factor : std::span(offered, static_cast<std::size_t>(count))) {
    const int side = TJSCALED(std::min(width, height), factor);
    if (side >= enough && factor.num * best.denom < best.num * factor.denom) best = factor;
  }
  return best;
}

/// Accepts bytes between two markers. The decoder has no code for its warnings, only this text.
bool is_harmless(void* decoder, std::string_view file) {
  return tjGetErrorCode(decoder) == TJERR_WARNING &&
         std::string_view(tjGetErrorStr2(decoder)).find("xtraneous bytes before marker") !=
             std::string_view::npos &&
         file.rfind("\xff\xd9"sv) != file.npos;
}

Measured<Picture> decode_jpeg(std::span<const std::byte> file, int enough) {
  const std::unique_ptr<void, decltype(&tjDestroy)> decoder(tjInitDecompress(), tjDestroy);
  if (decoder == nullptr) throw std::bad_alloc();
  const auto* const bytes = reinterpret_cast<const unsigned char*>(file.data());
  const auto failure = [&] { return missing(tjGetErrorStr2(decoder.get())); };
  int width = 0;
  int height = 0;
  int subsampling = 0;
  int colours = 0;
  if (tjDecompressHeader3(decoder.get(), bytes, file.size(), &width, &height, &subsampling, &colours) != 0) {
    return failure();
  }
  if (const std::string why = objection(width, height); !why.empty()) return missing(why);
  const tjscalingfactor factor = reduction(width, height, enough);
  Picture picture = blank(TJSCALED(width, factor), TJSCALED(height, factor));
  // A file of a million scans is not an image.
  const int status = tjDecompress2(decoder.get(), bytes, file.size(), picture.pixels.data(), picture.width,
                                   picture.width * kChannels, picture.height, TJPF_RGB, TJFLAG_LIMITSCANS);
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (status != 0 && !is_harmless(decoder.get(), text)) return failure();
  return picture;
}

Measured<Picture> decode_png(std::span<const std::byte> file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, decltype(&png_image_free)> cleanup(&image, png_image_free);
  if (png_image_begin_read_from_memory(&image, file.data(), file.size()) == 0) return missing(image.message);
  if (const std::string why = objection(image.width, image.height); !why.empty()) return missing(why);
  image.format = PNG_FORMAT_RGB;
  Picture picture = blank(static_cast<int>(image.width), static_cast<int>(image.height));
  const png_color white{255, 255, 255};
  if (png_image_finish_read(&image, &white, picture.pixels.data(), 0, nullptr) == 0)
    return missing(image.message);
  return picture;
}

/// Source pixels of one pixel of a resized line.
struct Taps {
  std::size_t first = 0;
  std::vector<std::uint32_t> weights;
  std::uint64_t sum = 0;
};

/// Measures between pixel centers, in units of 1 / (2 * to) source pixels, so that distances are whole.
std::vector<Taps> make_taps(std::int64_t from, std::int64_t to) {
  const std::int64_t reach = 2 * std::max(from, to);
  std::vector<Taps> line(static_cast<std::size_t>(to));
  for (std::int64_t i = 0; i < to; ++i) {
    Taps& taps = line[static_cast<std::size_t>(i)];
    const std::int64_t centre = (2 * i + 1) * from;
    const std::int64_t first = std::max<std::int64_t>(0, (centre - reach) / (2 * to) - 1);
    for (std::int64_t j = first; j < from; ++j) {
      const std::int64_t weight = reach - std::abs((2 * j + 1) * to - centre);
      if (weight <= 0 && !taps.weights.empty()) break;
      if (weight <= 0) continue;
      if (taps.weights.empty()) taps.first = static_cast<std::size_t>(j);
      taps.weights.push_back(static_cast<std::uint32_t>(weight));
      taps.sum += static_cast<std::uint64_t>(weight);
    }
  }
  return line;
}

/// Pixels that lie `stride` bytes apart.
struct Line {
  const std::uint8_t* first;
  std::size_t stride;
};

std::uint8_t blend(const Line& line, const Taps& taps) {
  std::uint64_t total = taps.sum / 2;
  const std::uint8_t* pixel = line.first + taps.first * line.stride;
  for (const std::uint32_t weight : taps.weights) {
    total += std::uint64_t{weight} * *pixel;
    pixel += line.stride;
  }
  return static_cast<std::uint8_t>(total / taps.sum);
}

}  // namespace

Measured<Picture> decode_picture(std::span<const std::byte> file, int enough) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (text.starts_with("\xff\xd8\xff")) return decode_jpeg(file, enough);
  if (text.starts_with("\x89PNG")) return decode_png(file);
  return missing("neither JPEG nor PNG");
}

void resize_square(const Picture& picture, int side, std::span<std::byte> out) {
  const auto width = static_cast<std::size_t>(picture.width);
  const auto new_side = static_cast<std::size_t>(side);
  const auto old_side = static_cast<std::size_t>(std::min(picture.width, picture.height));
  const std::size_t left = (width - old_side) / 2;
  const std::size_t top = (static_cast<std::size_t>(picture.height) - old_side) / 2;
  const std::vector<Taps> taps = make_taps(std::min(picture.width, picture.height), side);
  // Narrow first, transposed, so that the second pass reads along memory too.
  std::vector<std::uint8_t> columns(new_side * old_side);
  for (std::size_t channel = 0; channel < kChannels; ++channel) {
    for (std::size_t y = 0; y < old_side; ++y) {
      const Line row{&picture.pixels[((top + y) * width + left) * kChannels + channel], kChannels};
      for (std::size_t x = 0; x < new_side; ++x) columns[x * old_side + y] = blend(row, taps[x]);
    }
    const auto plane = out.subspan(channel * new_side * new_side, new_side * new_side);
    for (std::size_t x = 0; x < new_side; ++x) {
      const Line column{&columns[x * old_side], 1};
      for (std::size_t y = 0; y < new_side; ++y) {
        plane[y * new_side + x] = static_cast<std::byte>(blend(column, taps[y]));
      }
    }
  }
}

}  // namespace gpubench
