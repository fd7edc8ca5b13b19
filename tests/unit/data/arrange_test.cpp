#include <cstring>
#include <set>

#include "files.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/dataset.h"

namespace gpubench::test::arrange_test {
namespace {

const DataSpec kGrey{Task::kClassification, {1, 2, 3}, 4};
const DataSpec kPair{Task::kPairs, {2, 2, 3}, 2};
constexpr std::size_t kImageBytes = 6;

HostArray numbers(std::vector<std::int64_t> values) {
  HostArray array{ElementType::kInt64, {std::ssize(values)}, {}};
  const auto bytes = std::as_bytes(std::span(values));
  array.bytes.assign(bytes.begin(), bytes.end());
  return array;
}

template <class Number>
std::vector<Number> list_values(const HostArray& array) {
  std::vector<Number> values(array.data().size() / sizeof(Number));
  std::memcpy(values.data(), array.data().data(), values.size() * sizeof(Number));
  return values;
}

/// Returns images of the given classes. All pixels of an image are its index.
Split grey_split(const std::vector<std::int64_t>& classes) {
  Split split{{ElementType::kUint8, {std::ssize(classes), 1, 2, 3}, {}}, numbers(classes)};
  for (std::size_t i = 0; i < classes.size(); ++i) {
    split.inputs.bytes.insert(split.inputs.bytes.end(), kImageBytes, static_cast<std::byte>(i));
  }
  return split;
}

Dataset grey(const std::vector<std::int64_t>& train, const std::vector<std::int64_t>& test) {
  Dataset dataset;
  dataset.spec = kGrey;
  dataset.train = grey_split(train);
  dataset.test = grey_split(test);
  dataset.record.name = "grey";
  return dataset;
}

/// Returns an irregular sequence of classes 0 to 3.
std::vector<std::int64_t> many_classes(std::int64_t count) {
  std::vector<std::int64_t> classes;
  for (std::int64_t i = 0; i < count; ++i) classes.push_back(i * i % 4 == 0 ? i % 3 : 3);
  return classes;
}

/// Returns the index of the second image of pair `i`.
std::size_t partner(const Split& pairs, std::size_t i) {
  return std::to_integer<std::size_t>(pairs.inputs.data()[(2 * i + 1) * kImageBytes]);
}

Dataset stream(std::int64_t tokens) {
  Dataset dataset;
  dataset.spec = {Task::kLanguage, {}, 100};
  std::vector<std::int32_t> values;
  for (std::int32_t i = 0; i < tokens; ++i) values.push_back(10 + i);
  const auto bytes = std::as_bytes(std::span(values));
  dataset.train.inputs = {ElementType::kInt32, {tokens}, {bytes.begin(), bytes.end()}};
  return dataset;
}

TEST_CASE("even images are paired with their own class, odd images with another class") {
  const std::vector<std::int64_t> classes = many_classes(200);
  const Dataset pairs = arrange(grey(classes, {0, 1, 0, 1}), kPair, 1);
  CHECK(pairs.spec == kPair);
  CHECK(pairs.record.name == "grey");
  CHECK(pairs.train.inputs.shape == std::vector<std::int64_t>{200, 2, 2, 3});
  CHECK(pairs.train.inputs.data().size() == 200 * 2 * kImageBytes);
  CHECK(pairs.test.inputs.shape == std::vector<std::int64_t>{4, 2, 2, 3});
  CHECK(pairs.validation.size() == 0);
  const auto targets = list_values<std::int64_t>(pairs.train.targets);
  REQUIRE(targets.size() == 200);
  for (std::size_t i = 0; i < 200; ++i) {
    const std::size_t other = partner(pairs.train, i);
    REQUIRE(other < 200);
    CHECK(other != i);
    CHECK(targets[i] == (i % 2 == 0 ? 1 : 0));
    CHECK((classes[i] == classes[other]) == (i % 2 == 0));
    for (std::size_t pixel = 0; pixel < kImageBytes; ++pixel) {
      CHECK(pairs.train.inputs.data()[2 * i * kImageBytes + pixel] == static_cast<std::byte>(i));
      CHECK(pairs.train.inputs.data()[(2 * i + 1) * kImageBytes + pixel] == static_cast<std::byte>(other));
    }
  }
}

TEST_CASE("every possible partner is drawn") {
  // Image 0 may be paired with 2 or 4, image 1 with the four images of other classes.
  const Dataset dataset = grey({0, 1, 0, 2, 0}, {});
  std::set<std::size_t> same_class;
  std::set<std::size_t> other_class;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Dataset pairs = arrange(dataset, kPair, seed);
    same_class.insert(partner(pairs.train, 0));
    other_class.insert(partner(pairs.train, 1));
  }
  CHECK(same_class == std::set<std::size_t>{2, 4});
  CHECK(other_class == std::set<std::size_t>{0, 2, 3, 4});
}

TEST_CASE("pairs are the same on every machine, and differ with the seed") {
  const Dataset dataset = grey(many_classes(200), many_classes(50));
  const Dataset pairs = arrange(dataset, kPair, 7);
  CHECK(sha256(pairs.train.inputs.data()) ==
        "9de9c9da258b23453eef9329d1d224e79b070f8c985a0d26bac483126196fded");
  CHECK(sha256(pairs.train.inputs.data()) == sha256(arrange(dataset, kPair, 7).train.inputs.data()));
  CHECK(sha256(pairs.train.inputs.data()) != sha256(arrange(dataset, kPair, 8).train.inputs.data()));
}

TEST_CASE("if the intended partner does not exist, the target matches the actual pair") {
  const Dataset lonely = arrange(grey({2}, {1, 1}), kPair, 1);
  CHECK(partner(lonely.train, 0) == 0);
  CHECK(list_values<std::int64_t>(lonely.train.targets) == std::vector<std::int64_t>{1});
  CHECK(list_values<std::int64_t>(lonely.test.targets) == std::vector<std::int64_t>{1, 1});
  CHECK(partner(lonely.test, 1) == 0);
}

TEST_CASE("arranged images share memory with the dataset and keep their targets") {
  const Dataset dataset = grey({3, 1, 2}, {0});
  const Dataset images = arrange(dataset, {Task::kImages, {1, 2, 3}, 0}, 1);
  CHECK(images.spec == DataSpec{Task::kImages, {1, 2, 3}, 0});
  CHECK(images.train.inputs.data().data() == dataset.train.inputs.bytes.data());
  CHECK(images.train.inputs.shape == dataset.train.inputs.shape);
  CHECK(list_values<std::int64_t>(images.train.targets) == std::vector<std::int64_t>{3, 1, 2});
}

TEST_CASE("a stream is cut into sequences whose targets are the next tokens") {
  const Dataset dataset = stream(12);
  const Dataset sequences = arrange(dataset, {Task::kLanguage, {4}, 100}, 1);
  CHECK(sequences.spec == DataSpec{Task::kLanguage, {4}, 100});
  CHECK(sequences.train.inputs.type == ElementType::kInt32);
  CHECK(sequences.train.inputs.shape == std::vector<std::int64_t>{2, 4});
  CHECK(sequences.train.targets.shape == std::vector<std::int64_t>{2, 4});
  CHECK(list_values<std::int32_t>(sequences.train.inputs) ==
        std::vector<std::int32_t>{10, 11, 12, 13, 14, 15, 16, 17});
  CHECK(list_values<std::int32_t>(sequences.train.targets) ==
        std::vector<std::int32_t>{11, 12, 13, 14, 15, 16, 17, 18});
  CHECK(sequences.train.inputs.data().data() == dataset.train.inputs.bytes.data());
  CHECK(sequences.validation.size() == 0);
}

TEST_CASE("the number of sequences equals arranged_sizes(), down to zero") {
  for (std::int64_t tokens = 0; tokens < 20; ++tokens) {
    const Dataset dataset = stream(tokens);
    const DataSpec wanted{Task::kLanguage, {4}, 200};
    const Split split = arrange(dataset, wanted, 1).train;
    CHECK(split.size() == arranged_sizes({tokens, 0, 0}, dataset.spec, wanted).train);
    CHECK(std::ssize(split.inputs.data()) == split.size() * 16);
    CHECK(split.targets.data().size() == split.inputs.data().size());
  }
}

}  // namespace
}  // namespace gpubench::test::arrange_test
