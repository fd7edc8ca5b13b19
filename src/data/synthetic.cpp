// Synthetic data: images are patterns of patches with noise; tokens follow a table of successors.

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

#include "gpubench/core/collect.h"
#include "gpubench/dataset.h"

namespace gpubench {
namespace {

// The C++ standard fixes this generator's numbers, but not those of distributions.
using Generator = std::mt19937_64;
using Pattern = std::vector<std::uint8_t>;

constexpr int kPatternsWithoutClasses = 10;

struct Style {
  std::size_t side;  ///< Side of a patch of constant level, in pixels.
  unsigned pattern;  ///< Weight of the pattern in a sample.
  unsigned noise;    ///< Weight of the noise in a sample.
};
constexpr Style kSmallPatches{4, 1, 3};  // Large enough to remain visible after convolution and pooling.
constexpr Style kLargePatches{16, 7, 1};

std::int64_t product(std::span<const std::int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// Draws the levels of patches, independently for each image plane (the last two dimensions).
Pattern make_pattern(const std::vector<std::int64_t>& shape, const Style& style, Generator& generate) {
  const auto width = static_cast<std::size_t>(shape.back());
  const auto height = static_cast<std::size_t>(shape.size() > 1 ? shape[shape.size() - 2] : 1);
  Pattern pattern(static_cast<std::size_t>(product(shape)));
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool begins_row = i / width % height % style.side == 0;
    if (i % width % style.side > 0) {
      pattern[i] = pattern[i - 1];
    } else {
      pattern[i] = begins_row ? static_cast<std::uint8_t>(generate() >> 56) : pattern[i - width];
    }
  }
  return pattern;
}

/// Adds uniform noise to `pattern`. Each generated number serves eight pixels.
void draw_sample(std::span<std::byte> pixels, const Pattern& pattern, const Style& style,
                 Generator& generate) {
  for (std::size_t i = 0; i < pixels.size(); i += 8) {
    std::uint64_t noise = generate();
    for (std::size_t j = i; j < std::min(i + 8, pixels.size()); ++j, noise >>= 8) {
      const unsigned level =
          (style.pattern * pattern[j] + style.noise * static_cast<unsigned>(noise & 0xff)) /
          (style.pattern + style.noise);
      pixels[j] = static_cast<std::byte>(level);
    }
  }
}

/// Draws samples from one pattern per class, or from a few patterns if the data has no classes.
Split make_images(const DataSpec& spec, const std::vector<Pattern>& patterns, std::int64_t count,
                  Generator& generate) {
  const bool has_classes = spec.task == Task::kClassification;
  Split split{{ElementType::kUint8, {count}, {}}, {ElementType::kInt64, {count}, {}}};
  append(split.inputs.shape, spec.sample_shape);
  const std::size_t sample_size = patterns.front().size();
  std::vector<std::int64_t> labels(static_cast<std::size_t>(count));
  split.inputs.bytes.resize(labels.size() * sample_size);
  std::span<std::byte> rest = split.inputs.bytes;
  for (std::int64_t& label : labels) {
    const std::size_t drawn = generate() % patterns.size();
    if (has_classes) label = static_cast<std::int64_t>(drawn);
    draw_sample(rest.first(sample_size), patterns[drawn], has_classes ? kSmallPatches : kLargePatches,
                generate);
    rest = rest.subspan(sample_size);
  }
  split.targets.bytes = to_bytes(labels);
  return split;
}

/// Draws a token with probability about 1 / (token + 1), like words in a text: its bit count, then its bits.
std::int32_t draw_token(std::int64_t vocabulary, Generator& generate) {
  const auto last = static_cast<std::uint64_t>(vocabulary);
  const auto octaves = static_cast<std::uint64_t>(std::bit_width(last));
  for (;;) {
    const std::uint64_t first = std::uint64_t{1} << generate() % octaves;
    const std::uint64_t drawn = first + generate() % first;
    if (drawn <= last) return static_cast<std::int32_t>(drawn - 1);
  }
}

/// Draws a stream of tokens and cuts it into sequences. Three of four tokens are the successor of the
/// previous token. Targets are one token ahead.
Split make_tokens(const DataSpec& spec, const std::vector<std::int32_t>& successors, std::int64_t count,
                  Generator& generate) {
  const bool is_cut = !spec.sample_shape.empty();
  const std::int64_t ahead = is_cut && count > 0 ? 1 : 0;
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(count * product(spec.sample_shape) + ahead));
  std::size_t last = 0;
  for (std::int32_t& token : tokens) {
    const bool follows = generate() >> 62 != 0;
    token = follows ? successors[last] : draw_token(std::ssize(successors), generate);
    last = static_cast<std::size_t>(token);
  }
  Split split{{ElementType::kInt32, {count}, to_bytes(tokens)}, {ElementType::kInt32, {}, {}}};
  if (!is_cut) return split;
  append(split.inputs.shape, spec.sample_shape);
  split.targets = split.inputs;
  const auto size = static_cast<std::ptrdiff_t>(sizeof(std::int32_t)) * ahead;
  split.inputs.bytes.erase(split.inputs.bytes.end() - size, split.inputs.bytes.end());
  split.targets.bytes.erase(split.targets.bytes.begin(), split.targets.bytes.begin() + size);
  return split;
}

}  // namespace

Dataset make_synthetic(const DataSpec& spec, const SplitSizes& sizes, std::uint64_t seed) {
  Generator generate(seed);
  const bool is_text = spec.task == Task::kLanguage;
  std::vector<std::int32_t> successors(is_text ? static_cast<std::size_t>(spec.classes) : 0);
  for (std::int32_t& successor : successors) successor = draw_token(spec.classes, generate);
  const bool has_classes = spec.task == Task::kClassification;
  const std::int64_t pattern_count = is_text ? 0 : has_classes ? spec.classes : kPatternsWithoutClasses;
  std::vector<Pattern> patterns;
  for (std::int64_t i = 0; i < pattern_count; ++i) {
    patterns.push_back(
        make_pattern(spec.sample_shape, has_classes ? kSmallPatches : kLargePatches, generate));
  }
  const auto make = [&](std::int64_t count) {
    return is_text ? make_tokens(spec, successors, count, generate)
                   : make_images(spec, patterns, count, generate);
  };
  return {spec, make(sizes.train), make(sizes.validation), make(sizes.test),
          DatasetRecord{"synthetic", /*is_synthetic=*/true, /*note=*/"", /*files=*/{}}};
}

}  // namespace gpubench
