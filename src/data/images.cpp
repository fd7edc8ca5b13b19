// The user's own photographs, JPEG and PNG files in any depth below a folder, cropped and resized to 64x64.

#include <algorithm>
#include <cctype>

#include "data/decode/picture.h"
#include "data/fetch/raw_file.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/core/io/machine_cache.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/utf8.h"
#include "gpubench/dataset.h"

namespace gpubench::images_plugin {
namespace {

namespace fs = std::filesystem;

const char* const kName = "images";
constexpr int kSide = 64;
constexpr std::int64_t kImageBytes = 3 * kSide * kSide;
constexpr int kEnough = 2 * kSide;  // that an image decoded at a reduced size loses nothing
constexpr std::int64_t kTestShare = 10;
constexpr std::size_t kMaxFiles = 200'000;  // 2.5 GB when resized
constexpr Bytes kMaxFileSize{std::int64_t{1} << 26};

DataSpec spec() { return {Task::kImages, {3, kSide, kSide}, 0}; }

/// Selects names of pictures: unreadable ones are damaged, other files are ignored.
bool is_picture_name(const std::string& name) {
  std::string ending = fs::path(name).extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

struct FolderCandidate {
  std::string name;  ///< Below the folder.
  std::uintmax_t size;
  std::int64_t changed;
};

[[noreturn]] void refuse(const fs::path& folder, const std::string& what) {
  throw Error(ErrorKind::kData, "{} {}; put JPEG or PNG files there", folder.string(), what);
}

std::vector<FolderCandidate> find_candidates(const fs::path& folder) {
  std::vector<FolderCandidate> found;
  std::error_code failure;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, failure);
  if (failure) refuse(folder, "cannot be read: " + failure.message());
  for (; entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    if (entry->path().filename().string().starts_with('.')) {  // File managers leave such files behind.
      entry.disable_recursion_pending();
      continue;
    }
    std::error_code gone;
    if (!entry->is_regular_file(gone)) continue;
    if (found.size() == kMaxFiles) {
      refuse(folder, fmt::format("has more than {} files", with_separators(std::int64_t{kMaxFiles})));
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
  std::string skipped;  ///< One line about what could not be used; empty where all could.
};

/// Changes if a file is added, removed or changed.
std::string make_key(const std::vector<FolderCandidate>& candidates) {
  std::string text = fmt::format("{} {}\n", kSide, kEnough);
  for (const FolderCandidate& candidate : candidates) {
    text += fmt::format("{}\n{} {}\n", candidate.name, candidate.size, candidate.changed);
  }
  return sha256(std::as_bytes(std::span(text)));
}

/// Appends the image to `pixels`; returns the reason on failure.
std::string append_image(const fs::path& path, std::vector<std::byte>& pixels) {
  try {
    const auto picture = decode_picture(read_raw_file(path, kMaxFileSize).bytes, kEnough);
    if (!picture.has_value()) return picture.reason();
    pixels.resize(pixels.size() + kImageBytes);
    resize_square(picture.value(), kSide, std::span(pixels).last(kImageBytes));
    return "";
  } catch (const Error&) {
    return "cannot be read";
  }
}

ResizedImages resize_all(const fs::path& folder, const std::vector<FolderCandidate>& candidates) {
  ResizedImages images;
  std::int64_t damaged = 0;
  std::int64_t others = 0;
  for (const FolderCandidate& candidate : candidates) {
    const std::string why_not = append_image(folder / candidate.name, images.pixels);
    if (why_not.empty()) continue;
    if (!is_picture_name(candidate.name)) {
      ++others;
    } else if (++damaged == 1) {
      images.skipped = plain_text(fmt::format("{}: {}", candidate.name, why_not));
    }
  }
  if (damaged > 0) {
    images.skipped = fmt::format("{} of {} pictures left out, the first {}", with_separators(damaged),
                                 with_separators(std::ssize(candidates) - others), images.skipped);
  }
  if (others > 0) {
    images.skipped +=
        fmt::format("{}{} other files ignored", damaged > 0 ? "; " : "", with_separators(others));
  }
  return images;
}

/// Returns the images that text from the cache holds: `key`, what was left out, and pixels.
std::optional<ResizedImages> read_kept(std::string_view text, const std::string& key) {
  if (!text.starts_with(key + "\n")) return std::nullopt;
  text.remove_prefix(key.size() + 1);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || end + 1 == text.size()) return std::nullopt;
  const auto pixels = std::as_bytes(std::span(text.substr(end + 1)));
  if (pixels.size() % kImageBytes != 0) return std::nullopt;
  return ResizedImages{{pixels.begin(), pixels.end()}, std::string(text.substr(0, end))};
}

ResizedImages resized(const fs::path& folder) {
  constexpr std::int64_t kMostWords = 65'536;
  const std::vector<FolderCandidate> candidates = find_candidates(folder);
  if (candidates.empty()) refuse(folder, "is empty");
  const std::string key = make_key(candidates);
  const MachineCache cache(cache_folder() / kName);
  const std::string place = fs::absolute(folder).string();
  const Bytes most{std::ssize(candidates) * kImageBytes + kMostWords};
  if (auto kept = read_kept(cache.find(place, most).value_or(""), key)) return std::move(*kept);
  ResizedImages images = resize_all(folder, candidates);
  if (images.pixels.empty()) refuse(folder, "has no image that can be read (" + images.skipped + ")");
  const std::string_view pixels(reinterpret_cast<const char*>(images.pixels.data()), images.pixels.size());
  cache.store(place, fmt::format("{}\n{}\n{}", key, images.skipped, pixels));
  return images;
}

Split make_split(std::vector<std::byte> pixels) {
  const std::int64_t count = std::ssize(pixels) / kImageBytes;
  return {{ElementType::kUint8, {count, 3, kSide, kSide}, std::move(pixels)},
          {ElementType::kInt64,
           {count},
           std::vector<std::byte>(static_cast<std::size_t>(count) * sizeof(std::int64_t))}};
}

/// Moves every tenth image to the test split.
void divide(std::vector<std::byte> pixels, Dataset& dataset) {
  std::vector<std::byte> test;
  auto end = pixels.begin();
  std::int64_t index = 0;
  for (auto image = pixels.begin(); image != pixels.end(); image += kImageBytes) {
    if (++index % kTestShare == 0) {
      test.insert(test.end(), image, image + kImageBytes);
      continue;
    }
    if (end != image) std::copy_n(image, kImageBytes, end);
    end += kImageBytes;
  }
  pixels.erase(end, pixels.end());
  dataset.train = make_split(std::move(pixels));
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
  // One checksum of what is trained on: a line for each of a hundred thousand photographs would help nobody.
  dataset.record.files = {{kName, Bytes{std::ssize(images.pixels)}, sha256(images.pixels), "unverified"}};
  dataset.record.note =
      fmt::format("{} images of one's own", with_separators(std::ssize(images.pixels) / kImageBytes));
  if (!images.skipped.empty()) dataset.record.note += "; " + images.skipped;
  divide(std::move(images.pixels), dataset);
  return dataset;
}

}  // namespace

DatasetEntry entry_images() {
  DatasetEntry entry;
  entry.name = kName;
  entry.summary = "JPEG and PNG files of your own, cropped and resized to 64x64";
  entry.spec = spec();
  entry.folder = kName;
  entry.is_present = is_present;
  entry.load = load;
  return entry;
}

}  // namespace gpubench::images_plugin
