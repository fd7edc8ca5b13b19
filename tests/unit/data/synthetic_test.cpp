#include <array>
#include <cstring>

#include "files.h"
#include "gpubench/dataset.h"
#include "gpubench/digest.h"

namespace gpubench::test {
namespace {

constexpr std::int64_t kClasses = 10;

DataSpec small_images() { return {Task::kClassification, {1, 12, 12}, kClasses}; }

Dataset make_small(std::uint64_t seed) { return make_synthetic(small_images(), {300, 20, 200}, seed); }

std::size_t target_of(const Split& split, std::size_t sample) {
  std::int64_t target = 0;
  std::memcpy(&target, split.targets.bytes.data() + sample * sizeof target, sizeof target);
  return static_cast<std::size_t>(target);
}

using Image = std::array<double, 12 * 12>;

Image image_of(const Split& split, std::size_t sample) {
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
    const Image image = image_of(split, sample);
    const std::size_t target = target_of(split, sample);
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

TEST_CASE("synthetic data has the shape that was asked for and says what it is") {
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

TEST_CASE("synthetic data is the same on every machine, and another for another seed") {
  const Dataset dataset = make_small(1);
  CHECK(sha256(dataset.train.inputs.bytes) ==
        "e37f1968a777673f2306d8fd38700c173f8485a4cc96f73cdeffe95496a9d16b");
  CHECK(sha256(dataset.train.targets.bytes) ==
        "0284280fcee8a1b9c2937ea2de4732113c76353b6d6a8b1ff5ffd5be3fe10c23");
  CHECK(sha256(dataset.test.inputs.bytes) ==
        "cc331d2e99cbd044878d360bf031364f93ef26da447228d5cc1daf95dfa03458");
  CHECK(make_small(2).train.inputs.bytes != dataset.train.inputs.bytes);
}

TEST_CASE("what is learnt from synthetic training data holds for its test data") {
  const Dataset dataset = make_small(3);
  const auto means = class_means(dataset.train);
  int correct = 0;
  for (std::size_t sample = 0; sample < static_cast<std::size_t>(dataset.test.size()); ++sample) {
    if (nearest(means, image_of(dataset.test, sample)) == target_of(dataset.test, sample)) ++correct;
  }
  CHECK(correct > dataset.test.size() / 2);  // chance is a tenth
}

TEST_CASE("synthetic data of one dimension and of odd size can be made") {
  CHECK(make_synthetic({Task::kClassification, {7}, 2}, {3, 0, 0}, 1).train.inputs.bytes.size() == 21);
  CHECK_THROWS_AS(make_synthetic({Task::kClassification, {}, 0}, {3, 0, 0}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace gpubench::test
