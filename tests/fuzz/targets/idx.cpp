// IDX files of images and of labels, plain or compressed.

#include "data/decode/idx.h"
#include "fuzz/target.h"

namespace gpubench::fuzz {
namespace {

constexpr std::int64_t kMost = 100;
constexpr std::int64_t kPixels = 28 * 28;

void read(std::string_view input) {
  const auto* const first = reinterpret_cast<const std::byte*>(input.data());
  const RawFile file{"input", {first, first + input.size()}};
  accepts([&] {
    const HostArray images = read_idx_images(file, kMost);
    require(images.shape.front() >= 1 && images.shape.front() <= kMost, "images are as many as there can be");
    require(std::ssize(images.bytes) == images.shape.front() * kPixels, "every image has its pixels");
  });
  accepts([&] {
    const HostArray labels = read_idx_labels(file, kMost);
    require(labels.shape.front() >= 1 && labels.shape.front() <= kMost, "labels are as many as there can be");
    require(labels.bytes.size() == static_cast<std::size_t>(labels.shape.front()) * sizeof(std::int64_t),
            "every label is a number");
  });
}

}  // namespace

Target entry_idx() { return {Shape::kBytes, read}; }

}  // namespace gpubench::fuzz
