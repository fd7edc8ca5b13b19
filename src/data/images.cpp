// The user's photographs: JPEG and PNG files in a folder and its subfolders, resized for the model.

#include <algorithm>
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
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/utf8.h"
#include "gpubench/dataset.h"

namespace gpubench::images_plugin {
namespace {

namespace fs = std::filesystem;

const char* const kName = "images";
constexpr std::size_t kTestShare = 10;
constexpr std::size_t kMaxFiles = 200'000;
constexpr Bytes kMaxFileSize{std::int64_t{1} << 26};
constexpr std::int64_t kMaxGigabytes = 16;  // After resizing.

/// Accepts square color images of 8 to 1,024 pixels a side, with or without classes.
DataSpec adapt(const DataSpec& wanted) {
  const std::vector<std::int64_t>& shape = wanted.sample_shape;
  const bool has_task = wanted.task == Task::kClassification || wanted.task == Task::kImages;
  const bool is_square = shape.size() == 3 && shape[0] == 3 && shape[1] == shape[2];
  const bool fits = has_task && is_square && shape[1] >= 8 && shape[1] <= 1024;
  return fits ? wanted : DataSpec{Task::kImages, {3, 64, 64}, 0};
}

std::size_t find_side(const DataSpec& spec) { return static_cast<std::size_t>(spec.sample_shape.back()); }

constexpr std::size_t count_bytes(std::size_t side) { return 3 * side * side; }

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

/// Returns the strongest reduction that loses no quality at `new_side`: it leaves twice as many pixels.
tjscalingfactor reduction(int width, int height, std::size_t new_side) {
  int count = 0;
  const tjscalingfactor* const offered = tjGetScalingFactors(&count);
  tjscalingfactor best{1, 1};
  for (const tjscalingfactor& factor : std::span(offered, static_cast<std::size_t>(count))) {
    const int side = TJSCALED(std::min(width, height), factor);
    if (side >= static_cast<int>(2 * new_side) && factor.num * best.denom < best.num * factor.denom)
      best = factor;
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

Measured<Picture> decode_jpeg(std::span<const std::byte> file, std::size_t side) {
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
  const tjscalingfactor factor = reduction(width, height, side);
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
/// damaged, too large and other files. JPEG files may lose pixels that `side` does not need.
Measured<Picture> decode_picture(std::span<const std::byte> file, std::size_t side) {
  if (text_in(file).starts_with("\xff\xd8\xff")) return decode_jpeg(file, side);
  if (text_in(file).starts_with("\x89PNG")) return decode_png(file);
  return missing("neither JPEG nor PNG");
}

/// Crops the center square and resizes it by averaging or repeating pixels. `out` has planes of red, green
/// and blue. Uses integers only, to be reproducible.
void resize_square(const Picture& picture, std::size_t new_side, std::span<std::byte> out) {
  const auto width = static_cast<std::size_t>(picture.width);
  const auto height = static_cast<std::size_t>(picture.height);
  const std::size_t side = std::min(width, height);
  // Returns begin and end of the pixels of a line that become one pixel of the resized line.
  const auto find_source = [&](std::size_t pixel) {
    const std::size_t begin = pixel * side / new_side;
    return std::pair(begin, std::max(begin + 1, (pixel + 1) * side / new_side));
  };
  const std::uint8_t* const first = &picture.pixels[((height - side) / 2 * width + (width - side) / 2) * 3];
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t channel = i / (new_side * new_side);
    const auto [top, bottom] = find_source(i / new_side % new_side);
    const auto [left, right] = find_source(i % new_side);
    std::size_t sum = 0;
    for (std::size_t y = top; y < bottom; ++y) {
      for (std::size_t x = left; x < right; ++x) sum += first[(y * width + x) * 3 + channel];
    }
    const std::size_t count = (bottom - top) * (right - left);
    out[i] = static_cast<std::byte>((sum + count / 2) / count);
  }
}

struct FolderCandidate {
  std::string name;  ///< Path relative to the folder.
  std::uintmax_t size;
  std::int64_t changed;
};

[[noreturn]] void refuse(const fs::path& folder, const std::string& what,
                         const std::string& remedy = "put JPEG or PNG files into it") {
  throw Error(ErrorKind::kData, "{} {}; {}", folder.string(), what, remedy);
}

std::vector<FolderCandidate> find_candidates(const fs::path& folder) {
  std::vector<FolderCandidate> found;
  std::error_code failure;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, failure);
  for (; entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    if (entry->path().filename().string().starts_with('.')) {  // Thumbnails and other hidden files.
      entry.disable_recursion_pending();
      continue;
    }
    std::error_code gone;
    const std::string ending = lower(entry->path().extension().string());
    const bool is_picture = ending == ".jpg" || ending == ".jpeg" || ending == ".png";
    if (!is_picture || !entry->is_regular_file(gone)) continue;
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

/// Returns the first-level subfolder; empty for a picture outside of subfolders.
std::string find_class(const FolderCandidate& candidate) {
  const std::size_t slash = candidate.name.find('/');
  return candidate.name.substr(0, slash == std::string::npos ? 0 : slash);
}

/// Removes pictures outside of subfolders, and returns the names of the classes in their order.
std::vector<std::string> list_classes(const fs::path& folder, std::vector<FolderCandidate>& candidates,
                                      std::int64_t limit) {
  std::erase_if(candidates, [](const FolderCandidate& candidate) { return find_class(candidate).empty(); });
  if (candidates.empty()) {
    refuse(folder, "has no subfolders with pictures",
           "make a subfolder for each class, or name their parent");
  }
  std::vector<std::string> classes = mapped(candidates, find_class);
  std::ranges::sort(classes);
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  if (const std::int64_t count = std::ssize(classes); count > limit) {
    refuse(folder, fmt::format("has {} subfolders, but the model has {} classes", count, limit),
           fmt::format("remove some, or use a model with --model-arg classes={}", count));
  }
  return classes;
}

struct ResizedImages {
  std::vector<std::byte> pixels;
  std::string used;     ///< A '1' for each candidate in `pixels`, a '0' for the others.
  std::string skipped;  ///< Summary of unusable files in one line; empty if all were used.
};

/// Returns a key that changes if a file is added, removed or modified.
std::string make_key(const std::vector<FolderCandidate>& candidates) {
  std::string text = "averaged, with a list of used files\n";
  for (const FolderCandidate& candidate : candidates) {
    text += fmt::format("{}\n{} {}\n", candidate.name, candidate.size, candidate.changed);
  }
  return sha256(std::as_bytes(std::span(text)));
}

/// Appends the image to `pixels`; returns the reason on failure.
std::string append_image(const fs::path& path, std::size_t side, std::vector<std::byte>& pixels) {
  try {
    const auto picture = decode_picture(read_raw_file(path, kMaxFileSize).bytes, side);
    if (!picture.has_value()) return picture.reason();
    pixels.resize(pixels.size() + count_bytes(side));
    resize_square(picture.value(), side, std::span(pixels).last(count_bytes(side)));
    return "";
  } catch (const Error&) {
    return "cannot be read";
  }
}

ResizedImages resize_all(const fs::path& folder, const std::vector<FolderCandidate>& candidates,
                         std::size_t side) {
  ResizedImages images;
  images.pixels.reserve(candidates.size() * count_bytes(side));
  for (const FolderCandidate& candidate : candidates) {
    const std::string why_not = append_image(folder / candidate.name, side, images.pixels);
    images.used += why_not.empty() ? '1' : '0';
    if (!why_not.empty() && images.skipped.empty())
      images.skipped = plain_text(fmt::format("{}: {}", candidate.name, why_not));
  }
  if (const auto damaged = std::ranges::count(images.used, '0'); damaged > 0) {
    images.skipped = fmt::format("{} of {} pictures skipped, the first is {}", with_separators(damaged),
                                 with_separators(std::ssize(candidates)), images.skipped);
  }
  return images;
}

/// Returns the cache file for the resized pictures of `folder`; empty without a cache folder.
fs::path cache_file(const fs::path& folder, std::size_t side) {
  const fs::path cache = cache_folder();
  const std::string place = fmt::format("{} {}", side, fs::absolute(folder).string());
  return cache.is_absolute() ? cache / kName / sha256(std::as_bytes(std::span(place))) : fs::path();
}

/// Parses a cache file: `key`, the summary of skipped files, the list of used ones, and pixels. Returns
/// nullopt on a mismatch.
std::optional<ResizedImages> parse_cached(std::string_view text, const std::string& key, std::size_t count,
                                          std::size_t side) {
  if (!text.starts_with(key + "\n")) return std::nullopt;
  text.remove_prefix(key.size() + 1);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || text.size() < end + count + 2) return std::nullopt;
  const std::string_view used = text.substr(end + 1, count);
  const auto pixels = std::as_bytes(std::span(text.substr(end + count + 2)));
  const auto images = static_cast<std::size_t>(std::ranges::count(used, '1'));
  if (images == 0 || pixels.size() != images * count_bytes(side)) return std::nullopt;
  return ResizedImages{{pixels.begin(), pixels.end()}, std::string(used), std::string(text.substr(0, end))};
}

ResizedImages resized(const fs::path& folder, const std::vector<FolderCandidate>& candidates,
                      std::size_t side) {
  constexpr std::size_t kMaxHeader = 65'536;
  const std::size_t size = candidates.size() * count_bytes(side);
  if (size > std::size_t{kMaxGigabytes} << 30) {
    refuse(folder,
           fmt::format("has {} pictures, more than {} GB at {}x{}", with_separators(std::ssize(candidates)),
                       kMaxGigabytes, side, side),
           "use fewer pictures, or a model of smaller images");
  }
  const std::string key = make_key(candidates);
  const fs::path file = cache_file(folder, side);
  const Bytes limit{static_cast<std::int64_t>(size + candidates.size() + kMaxHeader)};
  const Measured<std::string> text = read_untrusted_file(file, limit, Owner::kThisUser);
  auto cached = text.has_value() ? parse_cached(text.value(), key, candidates.size(), side) : std::nullopt;
  if (cached) return std::move(*cached);
  ResizedImages images = resize_all(folder, candidates, side);
  if (images.pixels.empty()) refuse(folder, "has no readable pictures (" + images.skipped + ")");
  const std::string_view pixels(reinterpret_cast<const char*>(images.pixels.data()), images.pixels.size());
  if (file.empty()) return images;
  // Ignores failures: without a cache file, the next run resizes the pictures again.
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  ignored = write_file(file, fmt::format("{}\n{}\n{}\n{}", key, images.skipped, images.used, pixels));
  return images;
}

/// Returns the class of each image; 0 without classes.
std::vector<std::int64_t> make_labels(const ResizedImages& images,
                                      const std::vector<FolderCandidate>& candidates,
                                      const std::vector<std::string>& classes) {
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (images.used[i] != '1') continue;
    const auto found = std::ranges::lower_bound(classes, find_class(candidates[i]));
    labels.push_back(classes.empty() ? 0 : found - classes.begin());
  }
  return labels;
}

/// Returns every tenth image if `is_test`, else the others.
Split make_split(const ResizedImages& images, const std::vector<std::int64_t>& labels, const DataSpec& spec,
                 bool is_test) {
  const std::size_t size = count_bytes(find_side(spec));
  std::vector<std::byte> pixels;
  pixels.reserve(images.pixels.size() / (is_test ? kTestShare : 1));
  std::vector<std::int64_t> targets;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (((i + 1) % kTestShare == 0) != is_test) continue;
    append(pixels, std::span(images.pixels).subspan(i * size, size));
    targets.push_back(labels[i]);
  }
  std::vector<std::int64_t> shape{std::ssize(targets)};
  append(shape, spec.sample_shape);
  return {{ElementType::kUint8, shape, std::move(pixels)},
          {ElementType::kInt64, {shape.front()}, to_bytes(targets)}};
}

bool is_present(const fs::path& folder) {
  std::error_code failure;
  return fs::is_directory(folder, failure) && !fs::is_empty(folder, failure) && !failure;
}

Dataset load(const fs::path& folder, const DataSpec& spec) {
  std::vector<FolderCandidate> candidates = find_candidates(folder);
  if (candidates.empty()) refuse(folder, "has no pictures");
  std::vector<std::string> classes;
  if (spec.task == Task::kClassification) classes = list_classes(folder, candidates, spec.classes);
  const ResizedImages images = resized(folder, candidates, find_side(spec));
  const std::vector<std::int64_t> labels = make_labels(images, candidates, classes);
  Dataset dataset;
  dataset.spec = spec;
  dataset.record.name = kName;
  // Records one checksum of all pixels instead of one per file.
  dataset.record.files = {{kName, Bytes{std::ssize(images.pixels)}, sha256(images.pixels), "unverified"}};
  dataset.record.note = with_separators(std::ssize(labels)) + " user images";
  if (!classes.empty()) dataset.record.note += fmt::format(" in {} classes", classes.size());
  if (!images.skipped.empty()) dataset.record.note += "; " + images.skipped;
  dataset.train = make_split(images, labels, spec, /*is_test=*/false);
  dataset.test = make_split(images, labels, spec, /*is_test=*/true);
  return dataset;
}

}  // namespace

DatasetEntry entry_images() {
  return {.name = kName,
          .summary = "your own JPEG and PNG files, as square color images of any size",
          .spec = adapt({}),
          .sizes = {2'560, 0, 256},
          .folder = kName,
          .is_present = is_present,
          .load = load,
          .adapt = adapt};
}

}  // namespace gpubench::images_plugin
