// Arranges datasets for tasks: pairs of images, images without labels, sequences of tokens.

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <stdexcept>

#include "gpubench/core/collect.h"
#include "gpubench/dataset.h"

namespace gpubench {
namespace {

// The C++ standard fixes this generator's numbers, but not those of distributions.
using Generator = std::mt19937_64;

/// Returns an array that shares the bytes of `array`.
HostArray view(const HostArray& array) { return {array.type, array.shape, {}, array.data()}; }

Split view(const Split& split) { return {view(split.inputs), view(split.targets)}; }

std::int64_t draw(std::int64_t count, Generator& generate) {
  return static_cast<std::int64_t>(generate() % static_cast<std::uint64_t>(count));
}

/// Images of a split in order of class, to draw from one class or from all others.
class Classes {
 public:
  explicit Classes(const Split& split)
      : labels_(static_cast<std::size_t>(split.size())), ordered_(labels_.size()) {
    std::memcpy(labels_.data(), split.targets.data().data(), labels_.size() * sizeof labels_[0]);
    std::iota(ordered_.begin(), ordered_.end(), std::int64_t{0});
    std::ranges::stable_sort(ordered_, {}, [&](std::int64_t image) { return label(image); });
  }

  std::int64_t label(std::int64_t image) const { return labels_[static_cast<std::size_t>(image)]; }

  /// Returns another image of the same class, or `image` if its class has no other.
  std::int64_t draw_same(std::int64_t image, Generator& generate) const {
    const std::span own = class_with(image);
    if (own.size() == 1) return image;
    const auto size = static_cast<std::int64_t>(own.size());
    const std::int64_t index = std::ranges::lower_bound(own, image) - own.begin();
    return own[static_cast<std::size_t>((index + 1 + draw(size - 1, generate)) % size)];
  }

  /// Returns an image of another class, or of the same class if there is only one.
  std::int64_t draw_other(std::int64_t image, Generator& generate) const {
    const std::span own = class_with(image);
    const std::int64_t others = std::ssize(ordered_) - std::ssize(own);
    if (others == 0) return draw_same(image, generate);
    const std::int64_t next = own.data() + own.size() - ordered_.data();
    return ordered_.begin()[(next + draw(others, generate)) % std::ssize(ordered_)];
  }

 private:
  std::span<const std::int64_t> class_with(std::int64_t image) const {
    const auto label_of_other = [this](std::int64_t other) { return label(other); };
    const auto first = std::ranges::lower_bound(ordered_, label(image), {}, label_of_other);
    const auto last = std::ranges::upper_bound(ordered_, label(image), {}, label_of_other);
    return {first, last};
  }

  std::vector<std::int64_t> labels_;
  std::vector<std::int64_t> ordered_;
};

/// Pairs each image with a partner, half of them of the same class, as channels of one sample.
Split paired(const Split& split, Generator& generate) {
  const std::int64_t count = split.size();
  Split pairs{{split.inputs.type, split.inputs.shape, {}}, {ElementType::kInt64, {count}, {}}};
  if (count == 0) return pairs;
  pairs.inputs.shape[1] *= 2;
  const auto images = split.inputs.data();
  const std::size_t image_size = images.size() / static_cast<std::size_t>(count);
  pairs.inputs.bytes.reserve(2 * images.size());
  std::vector<std::int64_t> are_same;
  const Classes classes(split);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t partner =
        i % 2 == 0 ? classes.draw_same(i, generate) : classes.draw_other(i, generate);
    for (const std::int64_t image : {i, partner}) {
      append(pairs.inputs.bytes, images.subspan(static_cast<std::size_t>(image) * image_size, image_size));
    }
    are_same.push_back(classes.label(i) == classes.label(partner) ? 1 : 0);
  }
  pairs.targets.bytes = to_bytes(are_same);
  return pairs;
}

/// Cuts the stream into disjoint windows. Targets are shifted by one token.
Split windows(const Split& stream, std::int64_t length) {
  const std::int64_t count = stream.size() > 0 ? (stream.size() - 1) / length : 0;
  const auto size = static_cast<std::size_t>(count * length) * sizeof(std::int32_t);
  const auto tokens = stream.inputs.data();
  const std::size_t next = size > 0 ? sizeof(std::int32_t) : 0;
  return {{ElementType::kInt32, {count, length}, {}, tokens.first(size)},
          {ElementType::kInt32, {count, length}, {}, tokens.subspan(next, size)}};
}

}  // namespace

Dataset arrange(const Dataset& dataset, const DataSpec& wanted, std::uint64_t seed) {
  if (!can_feed(dataset.spec, wanted)) {
    throw std::invalid_argument(to_string(dataset.spec) + " cannot become " + to_string(wanted));
  }
  Generator generate(seed);
  const auto arranged = [&](const Split& split) {
    if (wanted.task == Task::kPairs) return paired(split, generate);
    const bool is_cut = wanted.task == Task::kLanguage && !wanted.sample_shape.empty();
    return is_cut ? windows(split, wanted.sample_shape.front()) : view(split);
  };
  return {wanted, arranged(dataset.train), arranged(dataset.validation), arranged(dataset.test),
          dataset.record};
}

}  // namespace gpubench
