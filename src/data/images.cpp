// The user's photographs: JPEG and PNG files in a folder and its subfolders, cropped and resized to 64x64.

#include <algorithm>
#include <cctype>
#include <memory>
#include <new>
#include <string_view>

#include <fmt/format.h>
#include <png.h>
#include <turbojpeg.h>

#include "data/fetch/fetch.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/measured.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/utf8.h"
#include "gpubench/dataset.h"

namespace gpubench::images_plugin {
namespace {

namespace fs = std::filesystem;

const char* const kName = "images";
constexpr int kSide = 64;
constexpr std::int64_t kImageBytes = 3 * kSide * kSide;
constexpr int kMinDecodedSide = 2 * kSide;  // Reduced decoding above this size loses no quality.
constexpr std::int64_t kTestShare = 10;
constexpr std::size_t kMaxFiles = 200'000;  // 2.5 GB after resizing.
constexpr Bytes kMaxFileSize{std::int64_t{1} << 26};

DataSpec spec() { return {Task::kImages, {3, kSide, kSide}, 0}; }

/// A decoded image: rows from the top, three bytes per pixel in the order red, green, blue.
struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;
};

/// Larger images are rejected, so that a small file cannot request much memory.
constexpr int kMaxPictureSide = 16'384;
constexpr std::int64_t kMaxPicturePixels = std::int64_t{1} << 26;

std::string find_size_fault(std::int64_t width, std::int64_t height) {
  if (width < 1 || height < 1) return "no pixels";
  const bool is_large =
      width > kMaxPictureSide || height > kMaxPictureSide || width * height > kMaxPicturePixels;
  return is_large ? fmt::format("too large, {}x{}", width, height) : "";
}

Picture blank(int width, int height) {
  return {width, height,
          std::vector<std::uint8_t>(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height))};
}

/// Returns the strongest reduction that leaves at least kMinDecodedSide pixels per side.
tjscalingfactor reduction(int width, int height) {
  int count = 0;
  const tjscalingfactor* const offered = tjGetScalingFactors(&count);
  tjscalingfactor best{1, 1};
  for (const tjscalingfactor& factor : std::span(offered, static_cast<std::size_t>(count))) {
    const int side = TJSCALED(std::min(width, height), factor);
    if (side >= kMinDecodedSide && factor.num * best.denom < best.num * factor.denom) best = factor;
  }
  return best;
}

std::string_view text_in(std::span<const std::byte> file) {
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

/// Accepts extra bytes between two markers. The decoder identifies this warning only by its text.
bool is_harmless(void* decoder, std::span<const std::byte> file) {
  return tjGetErrorCode(decoder) == TJERR_WARNING &&
         std::string_view(tjGetErrorStr2(decoder)).find("xtraneous bytes before marker") !=
             std::string_view::npos &&
         text_in(file).rfind("\xff\xd9") != std::string_view::npos;
}

Measured<Picture> decode_jpeg(std::span<const std::byte> file) {
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
  if (const std::string why = find_size_fault(width, height); !why.empty()) return missing(why);
  const tjscalingfactor factor = reduction(width, height);
  Picture picture = blank(TJSCALED(width, factor), TJSCALED(height, factor));
  // TJFLAG_LIMITSCANS rejects files with very many scans, which would decode for very long.
  const int status = tjDecompress2(decoder.get(), bytes, file.size(), picture.pixels.data(), picture.width,
                                   3 * picture.width, picture.height, TJPF_RGB, TJFLAG_LIMITSCANS);
  if (status != 0 && !is_harmless(decoder.get(), file)) return failure();
  return picture;
}

Measured<Picture> decode_png(std::span<const std::byte> file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, decltype(&png_image_free)> cleanup(&image, png_image_free);
  if (png_image_begin_read_from_memory(&image, file.data(), file.size()) == 0) return missing(image.message);
  if (const std::string why = find_size_fault(image.width, image.height); !why.empty()) return missing(why);
  image.format = PNG_FORMAT_RGB;
  Picture picture = blank(static_cast<int>(image.width), static_cast<int>(image.height));
  const png_color white{255, 255, 255};
  if (png_image_finish_read(&image, &white, picture.pixels.data(), 0, nullptr) == 0)
    return missing(image.message);
  return picture;
}

/// Decodes a JPEG or PNG file, detected by its first bytes. Transparent parts become white. Missing for
/// damaged, too large and other files.
Measured<Picture> decode_picture(std::span<const std::byte> file) {
  if (text_in(file).starts_with("\xff\xd8\xff")) return decode_jpeg(file);
  if (text_in(file).starts_with("\x89PNG")) return decode_png(file);
  return missing("neither JPEG nor PNG");
}

/// Range of pixels of a line that become one pixel of the resized line.
struct Stretch {
  std::size_t first;
  std::size_t end;
};

Stretch find_source(std::size_t pixel, std::size_t old_side) {
  const std::size_t first = pixel * old_side / kSide;
  return {first, std::max(first + 1, (pixel + 1) * old_side / kSide)};
}

/// Crops the center square and resizes it by averaging or repeating pixels. `out` has kImageBytes: planes of
/// red, green and blue. Uses integers only, to be reproducible.
void resize_square(const Picture& picture, std::span<std::byte> out) {
  const auto width = static_cast<std::size_t>(picture.width);
  const auto height = static_cast<std::size_t>(picture.height);
  const std::size_t side = std::min(width, height);
  const std::uint8_t* const first = &picture.pixels[((height - side) / 2 * width + (width - side) / 2) * 3];
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t channel = i / (kSide * kSide);
    const Stretch rows = find_source(i / kSide % kSide, side);
    const Stretch columns = find_source(i % kSide, side);
    std::size_t sum = 0;
    for (std::size_t y = rows.first; y < rows.end; ++y) {
      for (std::size_t x = columns.first; x < columns.end; ++x) sum += first[(y * width + x) * 3 + channel];
    }
    const std::size_t count = (rows.end - rows.first) * (columns.end - columns.first);
    out[i] = static_cast<std::byte>((sum + count / 2) / count);
  }
}

bool is_picture_name(const fs::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

struct FolderCandidate {
  std::string name;  ///< Path relative to the folder.
  std::uintmax_t size;
  std::int64_t changed;
};

[[noreturn]] void refuse(const fs::path& folder, const std::string& what) {
  throw Error(ErrorKind::kData, "{} {}; put JPEG or PNG files into it", folder.string(), what);
}

std::vector<FolderCandidate> find_candidates(const fs::path& folder) {
  std::vector<FolderCandidate> found;
  std::error_code failure;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, failure);
  if (failure) refuse(folder, "cannot be read: " + failure.message());
  for (; entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    if (entry->path().filename().string().starts_with('.')) {  // Thumbnails and other hidden files.
      entry.disable_recursion_pending();
      continue;
    }
    std::error_code gone;
    if (!is_picture_name(entry->path()) || !entry->is_regular_file(gone)) continue;
    if (found.size() == kMaxFiles) {
      refuse(folder, fmt::format("has more than {} pictures", with_separators(std::int64_t{kMaxFiles})));
    }
    found.push_back({entry->path().lexically_relative(folder).generic_string(), entry->file_size(gone),
                     static_cast<std::int64_t>(entry->last_write_time(gone).time_since_epoch().count())});
  }
  if (failure) refuse(folder, "cannot be read: " + failure.message());
  std::ranges::sort(found, {}, &FolderCandidate::name);
  return found;
}

struct ResizedImages {
  std::vector<std::byte> pixels;
  std::string skipped;  ///< Summary of unusable files in one line; empty if all were used.
};

/// Returns a key that changes if a file is added, removed or modified.
std::string make_key(const std::vector<FolderCandidate>& candidates) {
  std::string text = "averaged\n";
  for (const FolderCandidate& candidate : candidates) {
    text += fmt::format("{}\n{} {}\n", candidate.name, candidate.size, candidate.changed);
  }
  return sha256(std::as_bytes(std::span(text)));
}

/// Appends the image to `pixels`; returns the reason on failure.
std::string append_image(const fs::path& path, std::vector<std::byte>& pixels) {
  try {
    const auto picture = decode_picture(read_raw_file(path, kMaxFileSize).bytes);
    if (!picture.has_value()) return picture.reason();
    pixels.resize(pixels.size() + kImageBytes);
    resize_square(picture.value(), std::span(pixels).last(kImageBytes));
    return "";
  } catch (const Error&) {
    return "cannot be read";
  }
}

ResizedImages resize_all(const fs::path& folder, const std::vector<FolderCandidate>& candidates) {
  ResizedImages images;
  std::int64_t damaged = 0;
  for (const FolderCandidate& candidate : candidates) {
    const std::string why_not = append_image(folder / candidate.name, images.pixels);
    if (why_not.empty()) continue;
    if (++damaged == 1) images.skipped = plain_text(fmt::format("{}: {}", candidate.name, why_not));
  }
  if (damaged > 0) {
    images.skipped = fmt::format("{} of {} pictures skipped, the first is {}", with_separators(damaged),
                                 with_separators(std::ssize(candidates)), images.skipped);
  }
  return images;
}

/// Returns the cache file for the resized pictures of `folder`; empty without a cache folder.
fs::path cache_file(const fs::path& folder) {
  const fs::path cache = cache_folder();
  const std::string place = fs::absolute(folder).string();
  return cache.is_absolute() ? cache / kName / sha256(std::as_bytes(std::span(place))) : fs::path();
}

/// Parses a cache file: `key`, the summary of skipped files, and pixels. Returns nullopt on a mismatch.
std::optional<ResizedImages> parse_cached(std::string_view text, const std::string& key) {
  if (!text.starts_with(key + "\n")) return std::nullopt;
  text.remove_prefix(key.size() + 1);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || end + 1 == text.size()) return std::nullopt;
  const auto pixels = std::as_bytes(std::span(text.substr(end + 1)));
  if (pixels.size() % kImageBytes != 0) return std::nullopt;
  return ResizedImages{{pixels.begin(), pixels.end()}, std::string(text.substr(0, end))};
}

ResizedImages resized(const fs::path& folder) {
  constexpr std::int64_t kMaxHeader = 65'536;
  const std::vector<FolderCandidate> candidates = find_candidates(folder);
  if (candidates.empty()) refuse(folder, "has no pictures");
  const std::string key = make_key(candidates);
  const fs::path file = cache_file(folder);
  const Bytes limit{std::ssize(candidates) * kImageBytes + kMaxHeader};
  const Measured<std::string> text = read_untrusted_file(file, limit, Owner::kThisUser);
  auto cached = text.has_value() ? parse_cached(text.value(), key) : std::nullopt;
  if (cached) return std::move(*cached);
  ResizedImages images = resize_all(folder, candidates);
  if (images.pixels.empty()) refuse(folder, "has no readable pictures (" + images.skipped + ")");
  const std::string_view pixels(reinterpret_cast<const char*>(images.pixels.data()), images.pixels.size());
  if (file.empty()) return images;
  // Ignores failures: without a cache file, the next run resizes the pictures again.
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  ignored = write_file(file, fmt::format("{}\n{}\n{}", key, images.skipped, pixels));
  return images;
}

Split make_split(std::vector<std::byte> pixels) {
  const std::int64_t count = std::ssize(pixels) / kImageBytes;
  return {{ElementType::kUint8, {count, 3, kSide, kSide}, std::move(pixels)},
          {ElementType::kInt64,
           {count},
           std::vector<std::byte>(static_cast<std::size_t>(count) * sizeof(std::int64_t))}};
}

void divide(std::span<const std::byte> pixels, Dataset& dataset) {
  std::vector<std::byte> train;
  std::vector<std::byte> test;
  for (std::int64_t index = 1; !pixels.empty(); ++index) {
    append(index % kTestShare == 0 ? test : train, pixels.first(kImageBytes));
    pixels = pixels.subspan(kImageBytes);
  }
  dataset.train = make_split(std::move(train));
  dataset.test = make_split(std::move(test));
}

bool is_present(const fs::path& folder) {
  std::error_code failure;
  return fs::is_directory(folder, failure) && !fs::is_empty(folder, failure) && !failure;
}

Dataset load(const fs::path& folder) {
  ResizedImages images = resized(folder);
  Dataset dataset;
  dataset.spec = spec();
  dataset.record.name = kName;
  // Records one checksum of all pixels instead of one per file.
  dataset.record.files = {{kName, Bytes{std::ssize(images.pixels)}, sha256(images.pixels), "unverified"}};
  dataset.record.note =
      fmt::format("{} user images", with_separators(std::ssize(images.pixels) / kImageBytes));
  if (!images.skipped.empty()) dataset.record.note += "; " + images.skipped;
  divide(images.pixels, dataset);
  return dataset;
}

}  // namespace

DatasetEntry entry_images() {
  DatasetEntry entry;
  entry.name = kName;
  entry.summary = "your own JPEG and PNG files, cropped and resized to 64x64";
  entry.spec = spec();
  entry.folder = kName;
  entry.is_present = is_present;
  entry.load = load;
  return entry;
}

}  // namespace gpubench::images_plugin
