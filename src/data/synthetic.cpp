// A stand-in dataset. Every class of images is a pattern of coarse patches, every sample that pattern under
// noise. Images without classes are smooth instead. A stream of tokens mostly follows a table of successors.

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>

#include "gpubench/dataset.h"

namespace gpubench {
namespace {

// The C++ standard fixes the numbers of this generator, but not those of its distributions: what follows uses
// its bits alone, so that the same seed gives the same bytes with every standard library.
using Generator = std::mt19937_64;
using Pattern = std::vector<std::uint8_t>;

constexpr int kPatchSide = 4;  // survives convolution and pooling
constexpr int kSmoothSide = 16;
constexpr int kSmoothPatterns = 10;

/// How much of a sample is noise.
struct Mixture {
  unsigned pattern;
  unsigned noise;
};
constexpr Mixture kClassified{1, 3};
constexpr Mixture kSmooth{7, 1};

std::int64_t product(std::span<const std::int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// One row of patches: a level for every `kPatchSide` pixels.
Pattern make_row(std::int64_t width, Generator& generate) {
  Pattern row(static_cast<std::size_t>(width));
  std::uint8_t level = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i % kPatchSide == 0) level = static_cast<std::uint8_t>(generate() >> 56);
    row[i] = level;
  }
  return row;
}

/// Patches over the last two dimensions, drawn anew for each plane of the others.
Pattern make_pattern(const std::vector<std::int64_t>& shape, Generator& generate) {
  const std::int64_t width = shape.back();
  const std::int64_t height = shape.size() > 1 ? shape[shape.size() - 2] : 1;
  Pattern pattern;
  Pattern row;
  for (std::int64_t i = 0; i < product(shape) / width; ++i) {
    if (i % height % kPatchSide == 0) row = make_row(width, generate);
    pattern.insert(pattern.end(), row.begin(), row.end());
  }
  return pattern;
}

/// A level at `kSmoothSide` pixels from the next, linear in between.
Pattern make_smooth_row(std::int64_t width, Generator& generate) {
  Pattern row(static_cast<std::size_t>(width));
  unsigned from = 0;
  auto to = static_cast<unsigned>(generate() >> 56);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto step = static_cast<unsigned>(i % kSmoothSide);
    if (step == 0) from = std::exchange(to, static_cast<unsigned>(generate() >> 56));
    row[i] = static_cast<std::uint8_t>((from * (kSmoothSide - step) + to * step) / kSmoothSide);
  }
  return row;
}

/// Bilinear between levels over the last two dimensions, drawn anew for each plane of the others.
Pattern make_smooth_pattern(const std::vector<std::int64_t>& shape, Generator& generate) {
  const std::int64_t width = shape.back();
  const std::int64_t height = shape.size() > 1 ? shape[shape.size() - 2] : 1;
  Pattern pattern;
  Pattern from;
  Pattern to;
  for (std::int64_t i = 0; i < product(shape) / width; ++i) {
    const auto step = static_cast<unsigned>(i % height % kSmoothSide);
    if (i % height == 0) to = make_smooth_row(width, generate);
    if (step == 0) from = std::exchange(to, make_smooth_row(width, generate));
    for (std::size_t x = 0; x < from.size(); ++x) {
      const unsigned level = (from[x] * (kSmoothSide - step) + to[x] * step) / kSmoothSide;
      pattern.push_back(static_cast<std::uint8_t>(level));
    }
  }
  return pattern;
}

/// `pattern` under uniform noise, eight pixels from each number of the generator.
void draw_sample(std::span<std::byte> pixels, const Pattern& pattern, Mixture mixture, Generator& generate) {
  for (std::size_t i = 0; i < pixels.size(); i += 8) {
    std::uint64_t noise = generate();
    for (std::size_t j = i; j < std::min(i + 8, pixels.size()); ++j, noise >>= 8) {
      const unsigned level =
          (mixture.pattern * pattern[j] + mixture.noise * static_cast<unsigned>(noise & 0xff)) /
          (mixture.pattern + mixture.noise);
      pixels[j] = static_cast<std::byte>(level);
    }
  }
}

/// What images are drawn from.
struct Gallery {
  std::vector<std::int64_t> shape;
  std::vector<Pattern> patterns;
  Mixture mixture;
  bool has_classes;
};

Gallery make_gallery(const DataSpec& spec, Generator& generate) {
  const bool has_classes = spec.task == Task::kClassification;
  Gallery gallery{spec.sample_shape, {}, has_classes ? kClassified : kSmooth, has_classes};
  const std::int64_t count = has_classes ? spec.classes : kSmoothPatterns;
  for (std::int64_t i = 0; i < count; ++i) {
    gallery.patterns.push_back(has_classes ? make_pattern(spec.sample_shape, generate)
                                           : make_smooth_pattern(spec.sample_shape, generate));
  }
  return gallery;
}

Split make_images(const Gallery& gallery, std::int64_t count, Generator& generate) {
  Split split{{ElementType::kUint8, {count}, {}}, {ElementType::kInt64, {count}, {}}};
  split.inputs.shape.insert(split.inputs.shape.end(), gallery.shape.begin(), gallery.shape.end());
  const std::size_t sample_size = gallery.patterns.front().size();
  split.inputs.bytes.resize(static_cast<std::size_t>(count) * sample_size);
  split.targets.bytes.resize(static_cast<std::size_t>(count) * sizeof(std::int64_t));
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto drawn = static_cast<std::int64_t>(generate() % gallery.patterns.size());
    const std::int64_t label = gallery.has_classes ? drawn : 0;
    std::memcpy(split.targets.bytes.data() + i * sizeof label, &label, sizeof label);
    draw_sample(std::span(split.inputs.bytes).subspan(i * sample_size, sample_size),
                gallery.patterns[static_cast<std::size_t>(drawn)], gallery.mixture, generate);
  }
  return split;
}

/// A token whose probability falls like 1 / (token + 1), as that of words does: first the number of its bits,
/// then these.
std::int32_t draw_token(std::int64_t vocabulary, Generator& generate) {
  const auto last = static_cast<std::uint64_t>(vocabulary);
  const auto octaves = static_cast<std::uint64_t>(std::bit_width(last));
  for (;;) {
    const std::uint64_t first = std::uint64_t{1} << generate() % octaves;
    const std::uint64_t drawn = first + generate() % first;
    if (drawn <= last) return static_cast<std::int32_t>(drawn - 1);
  }
}

using Successors = std::vector<std::int32_t>;

Successors make_successors(std::int64_t vocabulary, Generator& generate) {
  Successors successors(static_cast<std::size_t>(vocabulary));
  for (std::int32_t& successor : successors) successor = draw_token(vocabulary, generate);
  return successors;
}

/// Three tokens of four follow from the one before.
Split make_stream(const Successors& successors, std::int64_t count, Generator& generate) {
  Split split{{ElementType::kInt32, {count}, {}}, {ElementType::kInt32, {}, {}}};
  split.inputs.bytes.resize(static_cast<std::size_t>(count) * sizeof(std::int32_t));
  std::int32_t token = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const bool follows = generate() >> 62 != 0;
    token =
        follows ? successors[static_cast<std::size_t>(token)] : draw_token(std::ssize(successors), generate);
    std::memcpy(split.inputs.bytes.data() + i * sizeof token, &token, sizeof token);
  }
  return split;
}

/// Calls `make` for each split in turn.
template <class Make>
Dataset make_splits(const DataSpec& spec, const SplitSizes& sizes, const Make& make) {
  Dataset dataset;
  dataset.spec = spec;
  dataset.train = make(sizes.train);
  dataset.validation = make(sizes.validation);
  dataset.test = make(sizes.test);
  dataset.record.name = "synthetic";
  dataset.record.is_synthetic = true;
  return dataset;
}

/// What can be made. The rest, pairs and sequences, is arranged from it.
void check(const DataSpec& spec) {
  const bool is_stream = spec.task == Task::kLanguage && spec.sample_shape.empty();
  const bool is_image =
      !spec.sample_shape.empty() && (spec.task == Task::kClassification || spec.task == Task::kImages);
  const bool has_classes = spec.classes >= 1 || spec.task == Task::kImages;
  const bool has_token_range = spec.classes <= std::numeric_limits<std::int32_t>::max();
  if (has_classes && has_token_range && (is_stream || is_image) && product(spec.sample_shape) >= 1) return;
  throw std::invalid_argument("a dataset needs classes and pixels, or tokens");
}

}  // namespace

Dataset make_synthetic(const DataSpec& spec, const SplitSizes& sizes, std::uint64_t seed) {
  check(spec);
  Generator generate(seed);
  if (spec.task == Task::kLanguage) {
    const Successors successors = make_successors(spec.classes, generate);
    return make_splits(spec, sizes,
                       [&](std::int64_t count) { return make_stream(successors, count, generate); });
  }
  const Gallery gallery = make_gallery(spec, generate);
  return make_splits(spec, sizes, [&](std::int64_t count) { return make_images(gallery, count, generate); });
}

}  // namespace gpubench
