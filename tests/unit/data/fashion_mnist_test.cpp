#include <cstring>

#include "files.h"
#include "gpubench/dataset.h"
#include "support/paths.h"
#include "support/temp_dir.h"

namespace gpubench::test::fashion_mnist_test {
namespace {

const std::filesystem::path kFixture = std::filesystem::path(fixtures_dir()) / "fashion-mnist";

const DatasetEntry& entry() { return *datasets().find("fashion-mnist"); }

/// A folder with `training` + 4 samples in plain files.
void write_set(const TempDir& dir, std::uint32_t training) {
  dir.file("train-images-idx3-ubyte", idx_images(training));
  dir.file("train-labels-idx1-ubyte", idx_labels(training));
  dir.file("t10k-images-idx3-ubyte", idx_images(4));
  dir.file("t10k-labels-idx1-ubyte", idx_labels(4));
}

std::string load_error(const TempDir& dir) {
  return catch_data_error([&] { entry().load(dir.path()); });
}

std::int64_t first_target(const Split& split) {
  std::int64_t target = 0;
  std::memcpy(&target, split.targets.bytes.data(), sizeof target);
  return target;
}

TEST_CASE("the real sample of Fashion-MNIST loads") {
  REQUIRE(entry().is_present(kFixture));
  const Dataset dataset = entry().load(kFixture);
  CHECK(dataset.spec == entry().spec);
  CHECK(dataset.train.inputs.shape == std::vector<std::int64_t>{54, 1, 28, 28});
  CHECK(dataset.validation.inputs.shape == std::vector<std::int64_t>{10, 1, 28, 28});
  CHECK(dataset.test.inputs.shape == std::vector<std::int64_t>{16, 1, 28, 28});
  CHECK(first_target(dataset.train) == 9);  // an ankle boot
  CHECK(first_target(dataset.test) == 9);
}

TEST_CASE("a part of Fashion-MNIST is not taken for the official dataset") {
  const DatasetRecord record = entry().load(kFixture).record;
  CHECK(record.name == "fashion-mnist");
  CHECK_FALSE(record.is_synthetic);
  CHECK(record.note == "64 of 60,000 training samples; 16 of 10,000 test samples; not the official files");
  REQUIRE(record.files.size() == 4);
  CHECK(record.files[0].name == "train-images-idx3-ubyte.gz");
  CHECK(record.files[0].provenance == "other");
  CHECK(record.files[0].sha256.size() == 64);
}

TEST_CASE("the last sixth of the training file validates") {
  const TempDir dir;
  write_set(dir, 20);
  const Dataset dataset = entry().load(dir.path());
  CHECK(dataset.train.size() == 17);
  REQUIRE(dataset.validation.size() == 3);
  CHECK(dataset.train.inputs.bytes.back() == std::byte{16});
  CHECK(dataset.validation.inputs.bytes.front() == std::byte{17});
  CHECK(dataset.validation.targets.shape.front() == 3);
  CHECK(first_target(dataset.validation) == 7);
}

TEST_CASE("Fashion-MNIST is also read unpacked, and from both where both are there the published form") {
  const TempDir dir;
  write_set(dir, 6);
  CHECK(entry().is_present(dir.path()));
  dir.file("t10k-labels-idx1-ubyte.gz", gzip(idx_labels(4)));
  const DatasetRecord record = entry().load(dir.path()).record;
  CHECK(record.files[2].name == "t10k-images-idx3-ubyte");
  CHECK(record.files[3].name == "t10k-labels-idx1-ubyte.gz");
}

TEST_CASE("images and labels of different number are refused") {
  const TempDir dir;
  write_set(dir, 6);
  dir.file("train-labels-idx1-ubyte", idx_labels(5));
  CHECK_THAT(load_error(dir), contains_text("train-labels-idx1-ubyte holds 5 labels for the 6 images of "
                                            "train-images-idx3-ubyte"));
}

TEST_CASE("MNIST is read like Fashion-MNIST, under its own name and checksums") {
  const DatasetEntry& mnist = *datasets().find("mnist");
  CHECK(mnist.folder != entry().folder);
  CHECK(mnist.spec == entry().spec);
  const Dataset dataset = mnist.load(kFixture);
  CHECK(dataset.record.name == "mnist");
  CHECK(dataset.train.size() == 54);
  const TempDir dir;
  CHECK_THAT(catch_data_error([&] { mnist.load(dir.path()); }),
             contains_text("train-images-idx3-ubyte.gz cannot be read: there is no such file"));
}

}  // namespace
}  // namespace gpubench::test::fashion_mnist_test
