// A stand-in dataset: every class is a pattern of coarse patches, every sample that pattern under noise.

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>

#include "gpubench/dataset.h"

namespace gpubench {
namespace {

// The C++ standard fixes the numbers of this generator, but not those of its distributions: what follows uses
// its bits alone, so that the same seed gives the same bytes with every standard library.
using Generator = std::mt19937_64;
using Pattern = std::vector<std::uint8_t>;

constexpr int kPatchSide = 4;         // survives convolution and pooling
constexpr unsigned kNoiseWeight = 3;  // against 1 for the pattern

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

/// `pattern` under uniform noise, eight pixels from each number of the generator.
void draw_sample(std::span<std::byte> pixels, const Pattern& pattern, Generator& generate) {
  for (std::size_t i = 0; i < pixels.size(); i += 8) {
    std::uint64_t noise = generate();
    for (std::size_t j = i; j < std::min(i + 8, pixels.size()); ++j, noise >>= 8) {
      const unsigned level =
          (pattern[j] + kNoiseWeight * static_cast<unsigned>(noise & 0xff)) / (1 + kNoiseWeight);
      pixels[j] = static_cast<std::byte>(level);
    }
  }
}

Split make_split(const DataSpec& spec, std::int64_t count, std::span<const Pattern> patterns,
                 Generator& generate) {
  Split split{{ElementType::kUint8, {count}, {}}, {ElementType::kInt64, {count}, {}}};
  split.inputs.shape.insert(split.inputs.shape.end(), spec.sample_shape.begin(), spec.sample_shape.end());
  const std::size_t sample_size = patterns.front().size();
  split.inputs.bytes.resize(static_cast<std::size_t>(count) * sample_size);
  split.targets.bytes.resize(static_cast<std::size_t>(count) * sizeof(std::int64_t));
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto label = static_cast<std::int64_t>(generate() % patterns.size());
    std::memcpy(split.targets.bytes.data() + i * sizeof label, &label, sizeof label);
    draw_sample(std::span(split.inputs.bytes).subspan(i * sample_size, sample_size),
                patterns[static_cast<std::size_t>(label)], generate);
  }
  return split;
}

}  // namespace

Dataset make_synthetic(const DataSpec& spec, const SplitSizes& sizes, std::uint64_t seed) {
  if (spec.classes < 1 || product(spec.sample_shape) < 1) {
    throw std::invalid_argument("a dataset needs classes and pixels");
  }
  Generator generate(seed);
  std::vector<Pattern> patterns;
  for (std::int64_t i = 0; i < spec.classes; ++i) {
    patterns.push_back(make_pattern(spec.sample_shape, generate));
  }
  Dataset dataset;
  dataset.spec = spec;
  dataset.train = make_split(spec, sizes.train, patterns, generate);
  dataset.validation = make_split(spec, sizes.validation, patterns, generate);
  dataset.test = make_split(spec, sizes.test, patterns, generate);
  dataset.record.name = "synthetic";
  dataset.record.is_synthetic = true;
  return dataset;
}

}  // namespace gpubench
