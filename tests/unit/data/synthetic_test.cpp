#include <array>
#include <cstring>
#include <map>

#include "files.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/dataset.h"

namespace gpubench::test::synthetic_test {
namespace {

constexpr std::int64_t kClasses = 10;

DataSpec small_images() { return {Task::kClassification, {1, 12, 12}, kClasses}; }

Dataset make_small(std::uint64_t seed) { return make_synthetic(small_images(), {300, 20, 200}, seed); }

std::size_t find_target(const Split& split, std::size_t sample) {
  std::int64_t target = 0;
  std::memcpy(&target, split.targets.bytes.data() + sample * sizeof target, sizeof target);
  return static_cast<std::size_t>(target);
}

using Image = std::array<double, 12 * 12>;

Image make_image(const Split& split, std::size_t sample) {
  Image image{};
  for (std::size_t i = 0; i < image.size(); ++i) {
    image[i] = std::to_integer<int>(split.inputs.bytes[sample * image.size() + i]);
  }
  return image;
}

std::array<Image, kClasses> class_means(const Split& split) {
  std::array<Image, kClasses> means{};
  std::array<double, kClasses> counts{};
  for (std::size_t sample = 0; sample < static_cast<std::size_t>(split.size()); ++sample) {
    const Image image = make_image(split, sample);
    const std::size_t target = find_target(split, sample);
    for (std::size_t i = 0; i < image.size(); ++i) means[target][i] += image[i];
    counts[target] += 1;
  }
  for (std::size_t c = 0; c < kClasses; ++c) {
    for (double& pixel : means[c]) pixel /= counts[c];
  }
  return means;
}

std::size_t nearest(const std::array<Image, kClasses>& means, const Image& image) {
  std::array<double, kClasses> distances{};
  for (std::size_t c = 0; c < kClasses; ++c) {
    for (std::size_t i = 0; i < image.size(); ++i) {
      distances[c] += (means[c][i] - image[i]) * (means[c][i] - image[i]);
    }
  }
  return static_cast<std::size_t>(std::ranges::min_element(distances) - distances.begin());
}

TEST_CASE("synthetic data has the requested shape and is marked as synthetic") {
  const Dataset dataset = make_synthetic({Task::kClassification, {3, 32, 32}, 10}, {5, 0, 2}, 1);
  CHECK(dataset.train.inputs.shape == std::vector<std::int64_t>{5, 3, 32, 32});
  CHECK(dataset.train.inputs.bytes.size() == 5 * 3 * 32 * 32);
  CHECK(dataset.train.targets.type == ElementType::kInt64);
  CHECK(dataset.train.targets.shape == std::vector<std::int64_t>{5});
  CHECK(dataset.validation.size() == 0);
  CHECK(dataset.test.size() == 2);
  CHECK(dataset.record.is_synthetic);
  CHECK(dataset.record.name == "synthetic");
}

TEST_CASE("synthetic data is the same on every machine, and differs with the seed") {
  const Dataset dataset = make_small(1);
  CHECK(sha256(dataset.train.inputs.bytes) ==
        "e37f1968a777673f2306d8fd38700c173f8485a4cc96f73cdeffe95496a9d16b");
  CHECK(sha256(dataset.train.targets.bytes) ==
        "0284280fcee8a1b9c2937ea2de4732113c76353b6d6a8b1ff5ffd5be3fe10c23");
  CHECK(sha256(dataset.test.inputs.bytes) ==
        "cc331d2e99cbd044878d360bf031364f93ef26da447228d5cc1daf95dfa03458");
  CHECK(make_small(2).train.inputs.bytes != dataset.train.inputs.bytes);
}

TEST_CASE("classes of synthetic training data generalize to the test data") {
  const Dataset dataset = make_small(3);
  const auto means = class_means(dataset.train);
  int correct = 0;
  for (std::size_t sample = 0; sample < static_cast<std::size_t>(dataset.test.size()); ++sample) {
    if (nearest(means, make_image(dataset.test, sample)) == find_target(dataset.test, sample)) ++correct;
  }
  CHECK(correct > dataset.test.size() / 2);  // By chance it would be a tenth.
}

std::vector<std::int32_t> read_tokens(const Split& split) {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(split.size()));
  REQUIRE(split.inputs.bytes.size() == tokens.size() * sizeof(std::int32_t));
  std::memcpy(tokens.data(), split.inputs.bytes.data(), split.inputs.bytes.size());
  return tokens;
}

/// Returns the fraction of tokens in `test` that the most frequent successor in `train` predicts.
double predicted_share(const std::vector<std::int32_t>& train, const std::vector<std::int32_t>& test) {
  std::map<std::int32_t, std::map<std::int32_t, int>> seen;
  for (std::size_t i = 1; i < train.size(); ++i) ++seen[train[i - 1]][train[i]];
  int predicted = 0;
  for (std::size_t i = 1; i < test.size(); ++i) {
    const auto& next = seen[test[i - 1]];
    const auto best = std::ranges::max_element(next, {}, [](const auto& entry) { return entry.second; });
    if (best != next.end() && best->first == test[i]) ++predicted;
  }
  return predicted / static_cast<double>(test.size() - 1);
}

TEST_CASE("a synthetic stream uses its whole vocabulary and is predictable") {
  const DataSpec spec{Task::kLanguage, {}, 1'000};
  const Dataset dataset = make_synthetic(spec, {50'000, 0, 5'000}, 1);
  CHECK(dataset.spec == spec);
  CHECK(dataset.train.inputs.type == ElementType::kInt32);
  CHECK(dataset.train.targets.bytes.empty());
  CHECK(dataset.train.targets.shape.empty());
  const std::vector<std::int32_t> tokens = read_tokens(dataset.train);
  CHECK(std::ranges::min(tokens) == 0);
  CHECK(std::ranges::max(tokens) > 900);
  CHECK(std::ranges::max(tokens) < 1'000);
  const double share = predicted_share(tokens, read_tokens(dataset.test));
  CHECK(share > 0.7);  // Three of four tokens follow the table.
  CHECK(share < 0.85);
}

TEST_CASE("a synthetic stream is the same on every machine") {
  const auto digest = [](std::int64_t vocabulary) {
    return sha256(make_synthetic({Task::kLanguage, {}, vocabulary}, {1'000, 0, 0}, 1).train.inputs.bytes);
  };
  CHECK(digest(33'278) == "bd6ea04a9c13d7da993ba8320641c2794e1f2fd4b30f4e08178703d7cd8e3445");
  CHECK(digest(1) == sha256(std::vector<std::byte>(4'000)));
}

TEST_CASE("synthetic images without classes have targets of zero") {
  const Dataset dataset = make_synthetic({Task::kImages, {3, 64, 64}, 0}, {50, 0, 10}, 1);
  CHECK(dataset.train.inputs.shape == std::vector<std::int64_t>{50, 3, 64, 64});
  CHECK(dataset.train.targets.bytes == std::vector<std::byte>(50 * sizeof(std::int64_t)));
}

}  // namespace
}  // namespace gpubench::test::synthetic_test
