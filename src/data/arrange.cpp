// Makes of a dataset what a model's task takes: pairs of images, images alone, sequences of tokens.

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <stdexcept>

#include "gpubench/dataset.h"

namespace gpubench {
namespace {

// As in synthetic.cpp: the generator's numbers are the same everywhere, a distribution's are not.
using Generator = std::mt19937_64;

/// An array of the same bytes, which stay where they are.
HostArray view(const HostArray& array) { return {array.type, array.shape, {}, array.data()}; }

Split view(const Split& split) { return {view(split.inputs), view(split.targets)}; }

std::int64_t class_of(const Split& split, std::int64_t sample) {
  std::int64_t label = 0;
  std::memcpy(&label, split.targets.data().data() + static_cast<std::size_t>(sample) * sizeof label,
              sizeof label);
  return label;
}

/// The images of a split ordered by class, so that those of one class, and those of all others, can be
/// counted off.
class Classes {
 public:
  explicit Classes(const Split& split) : place_(static_cast<std::size_t>(split.size())) {
    std::map<std::int64_t, std::vector<std::int64_t>> images;
    for (std::int64_t i = 0; i < split.size(); ++i) images[class_of(split, i)].push_back(i);
    for (const auto& [label, members] : images) {
      const Range range{std::ssize(ordered_), std::ssize(members)};
      ordered_.insert(ordered_.end(), members.begin(), members.end());
      for (std::int64_t i = 0; i < range.size; ++i) {
        place_[static_cast<std::size_t>(members[static_cast<std::size_t>(i)])] = {range, range.first + i};
      }
    }
  }

  /// Another image of the class of `image`; itself where it is the only one.
  std::int64_t mate(std::int64_t image, Generator& generate) const {
    const Place& own = place_[static_cast<std::size_t>(image)];
    if (own.range.size == 1) return image;
    const std::int64_t first = own.range.first;
    const std::int64_t step = 1 + draw(own.range.size - 1, generate);
    return at(first + (own.index - first + step) % own.range.size);
  }

  /// An image of another class; where there is none, one of the same.
  std::int64_t stranger(std::int64_t image, Generator& generate) const {
    const Range& own = place_[static_cast<std::size_t>(image)].range;
    const std::int64_t others = std::ssize(ordered_) - own.size;
    if (others == 0) return mate(image, generate);
    return at((own.first + own.size + draw(others, generate)) % std::ssize(ordered_));
  }

 private:
  struct Range {
    std::int64_t first = 0;
    std::int64_t size = 0;
  };
  struct Place {
    Range range;  ///< Of its class.
    std::int64_t index = 0;
  };

  static std::int64_t draw(std::int64_t count, Generator& generate) {
    return static_cast<std::int64_t>(generate() % static_cast<std::uint64_t>(count));
  }

  std::int64_t at(std::int64_t index) const { return ordered_[static_cast<std::size_t>(index)]; }

  std::vector<std::int64_t> ordered_;
  std::vector<Place> place_;  ///< By image.
};

/// Image i, then its partner, one after the other: the channels of one sample.
Split paired(const Split& split, Generator& generate) {
  const std::int64_t count = split.size();
  Split pairs{{split.inputs.type, split.inputs.shape, {}}, {ElementType::kInt64, {count}, {}}};
  if (count == 0) return pairs;
  pairs.inputs.shape[1] *= 2;
  const auto images = split.inputs.data();
  const std::size_t image_size = images.size() / static_cast<std::size_t>(count);
  pairs.inputs.bytes.resize(2 * images.size());
  pairs.targets.bytes.resize(static_cast<std::size_t>(count) * sizeof(std::int64_t));
  const Classes classes(split);
  std::byte* out = pairs.inputs.bytes.data();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t partner = i % 2 == 0 ? classes.mate(i, generate) : classes.stranger(i, generate);
    for (const std::int64_t image : {i, partner}) {
      const auto source = images.subspan(static_cast<std::size_t>(image) * image_size, image_size);
      out = std::copy(source.begin(), source.end(), out);
    }
    const std::int64_t is_same = class_of(split, i) == class_of(split, partner) ? 1 : 0;
    std::memcpy(pairs.targets.bytes.data() + static_cast<std::size_t>(i) * sizeof is_same, &is_same,
                sizeof is_same);
  }
  return pairs;
}

/// Windows of the stream that do not overlap; the targets are the same ones a token later.
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
  Dataset result;
  result.spec = wanted;
  result.train = arranged(dataset.train);
  result.validation = arranged(dataset.validation);
  result.test = arranged(dataset.test);
  result.record = dataset.record;
  return result;
}

}  // namespace gpubench
