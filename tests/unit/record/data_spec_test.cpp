#include "gpubench/record/data_spec.h"

#include "support/catch.h"

namespace gpubench::test::data_spec_test {
namespace {

const DataSpec kDigits{Task::kClassification, {1, 28, 28}, 10};
const DataSpec kPhotographs{Task::kClassification, {3, 64, 64}, 10};
const DataSpec kPlainImages{Task::kImages, {3, 64, 64}, 0};
const DataSpec kPairs{Task::kPairs, {2, 28, 28}, 2};
const DataSpec kStream{Task::kLanguage, {}, 33'278};
const DataSpec kSequences{Task::kLanguage, {35}, 33'278};

TEST_CASE("a classifier accepts only its own image shape and classes") {
  CHECK(can_feed(kDigits, kDigits));
  CHECK_FALSE(can_feed(kDigits, {Task::kClassification, {1, 28, 28}, 11}));
  CHECK_FALSE(can_feed(kDigits, {Task::kClassification, {784}, 10}));
  CHECK_FALSE(can_feed(kPlainImages, kPhotographs));
}

TEST_CASE("pairs need classes of grayscale images of the same size") {
  CHECK(can_feed(kDigits, kPairs));
  CHECK_FALSE(can_feed(kPhotographs, kPairs));
  CHECK_FALSE(can_feed(kPairs, kDigits));
  CHECK_FALSE(can_feed(kStream, kPairs));
  CHECK_FALSE(can_feed({Task::kImages, {1, 28, 28}, 0}, kPairs));
}

TEST_CASE("a model of images accepts images with and without classes") {
  CHECK(can_feed(kPhotographs, kPlainImages));
  CHECK(can_feed(kPlainImages, kPlainImages));
  CHECK_FALSE(can_feed(kDigits, kPlainImages));
  CHECK_FALSE(can_feed(kStream, kPlainImages));
}

TEST_CASE("a language model accepts any stream of known tokens, and no images") {
  CHECK(can_feed(kStream, kSequences));
  CHECK(can_feed({Task::kLanguage, {}, 100}, kSequences));
  CHECK_FALSE(can_feed({Task::kLanguage, {}, 33'279}, kSequences));
  CHECK_FALSE(can_feed(kSequences, kSequences));
  CHECK_FALSE(can_feed(kDigits, kSequences));
}

TEST_CASE("a stream's last token is only a target") {
  const SplitSizes sizes = arranged_sizes({71, 70, 0}, kStream, kSequences);
  CHECK(sizes.train == 2);
  CHECK(sizes.validation == 1);
  CHECK(sizes.test == 0);
}

TEST_CASE("pairs and images keep the number of samples") {
  CHECK(arranged_sizes({60, 10, 5}, kDigits, kPairs).train == 60);
  CHECK(arranged_sizes({60, 10, 5}, kPhotographs, kPlainImages).test == 5);
}

TEST_CASE("to_string describes the data of each task") {
  CHECK(to_string(kDigits) == "1x28x28, 10 classes");
  CHECK(to_string(kPairs) == "pairs of images, together 2x28x28");
  CHECK(to_string(kPlainImages) == "3x64x64");
  CHECK(to_string(kStream) == "tokens out of 33278");
  CHECK(to_string(kSequences) == "sequences of 35 tokens out of 33278");
}

}  // namespace
}  // namespace gpubench::test::data_spec_test
