// CIFAR-10's images at 64x64, what networks for larger photographs take. The files are those of cifar10.

#include <algorithm>
#include <array>

#include "gpubench/dataset.h"

namespace gpubench::cifar10_plugin {
DatasetEntry entry_cifar10();
}

namespace gpubench::cifar10_64_plugin {
namespace {

namespace fs = std::filesystem;

const char* const kName = "cifar10-64";
constexpr std::int64_t kChannels = 3;
constexpr std::size_t kSide = 32;
constexpr std::size_t kNewSide = 2 * kSide;

DataSpec spec() {
  return {Task::kClassification, {kChannels, std::int64_t{kNewSide}, std::int64_t{kNewSide}}, 10};
}

/// Returns the farther of the two old lines around line `i` of the new plane; at the edge the nearer again.
constexpr std::size_t farther(std::size_t i) {
  if (i % 2 == 0) return i == 0 ? 0 : i / 2 - 1;
  return std::min(i / 2 + 1, kSide - 1);
}

/// Interpolates bilinearly between pixel centres: weights of 3/4 and 1/4 along each side, rounded once.
void enlarge(HostArray& images) {
  std::vector<std::byte> enlarged(images.bytes.size() * 4);
  const auto* plane = reinterpret_cast<const std::uint8_t*>(images.bytes.data());
  auto* out = enlarged.data();
  std::array<unsigned, kSide> blend{};
  for (std::size_t i = 0; i < images.bytes.size() / (kSide * kSide); ++i, plane += kSide * kSide) {
    for (std::size_t y = 0; y < kNewSide; ++y) {
      const std::uint8_t* const near_row = plane + y / 2 * kSide;
      const std::uint8_t* const far_row = plane + farther(y) * kSide;
      for (std::size_t x = 0; x < kSide; ++x) blend[x] = 3U * near_row[x] + far_row[x];
      for (std::size_t x = 0; x < kNewSide; ++x, ++out) {
        *out = static_cast<std::byte>((3 * blend[x / 2] + blend[farther(x)] + 8) / 16);
      }
    }
  }
  images.shape = {images.shape.front(), kChannels, std::int64_t{kNewSide}, std::int64_t{kNewSide}};
  images.bytes = std::move(enlarged);
}

Dataset load(const fs::path& folder) {
  Dataset dataset = cifar10_plugin::entry_cifar10().load(folder);
  dataset.spec = spec();
  dataset.record.name = kName;
  enlarge(dataset.train.inputs);
  enlarge(dataset.test.inputs);
  return dataset;
}

}  // namespace

DatasetEntry entry_cifar10_64() {
  DatasetEntry entry = cifar10_plugin::entry_cifar10();
  entry.name = kName;
  entry.summary = "cifar10 enlarged to 64x64 (737 MB in memory), 10 classes";
  entry.spec = spec();
  entry.load = load;
  return entry;
}

}  // namespace gpubench::cifar10_64_plugin
